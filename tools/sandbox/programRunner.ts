/**
 * The process that runs a sandbox's programs for another. Starting a program copies the page tables of the whole
 * process that starts it: this one stays small, however much its parent holds.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import type { CodeSettings } from '../../schemas/config/tools/code.ts';
import type { StageFailure } from '../../schemas/outcome.ts';
import { createSandbox } from './createSandbox.ts';

/** What the process is asked. `create` comes first and once, `pid` is this process for the asker; ids are the asker's. */
export type RunnerRequest =
  | { readonly kind: 'create'; readonly settings: CodeSettings; readonly pid: number }
  | { readonly kind: 'run'; readonly id: number; readonly program: SandboxProgram }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'close' };

/** What the process says; every program is answered by `ended` or `failed` when nothing of it runs any more. */
export type RunnerReply =
  | { readonly kind: 'log'; readonly line: string }
  | { readonly kind: 'created'; readonly name: Sandbox['name']; readonly isolates: boolean }
  | { readonly kind: 'refused'; readonly error: SentError }
  | { readonly kind: 'ended'; readonly id: number; readonly result: SandboxResult }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SentError };

/** An error in a form that passes between processes. */
export type SentError =
  | { readonly kind: 'user'; readonly message: string }
  | { readonly kind: 'record'; readonly failure: StageFailure }
  | { readonly kind: 'other'; readonly message: string; readonly stack: string | undefined };

/** Waits before further tries; after the last the failure stands. */
const WAITS_MS: readonly number[] = [100, 1_000];

let sandbox: Sandbox | undefined;
const running = new Map<number, AbortController>();
const say = (reply: RunnerReply) => process.connected && process.send!(reply);

// Ctrl-C reaches every process of the terminal: whoever asks decides when programs end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => void end());
process.on('message', (request: RunnerRequest) => {
  if (request.kind === 'create') void create(request.settings, request.pid);
  if (request.kind === 'run') void run(request.id, request.program);
  if (request.kind === 'abort') running.get(request.id)?.abort();
  if (request.kind === 'close') process.disconnect();
});

async function create(settings: CodeSettings, pid: number): Promise<void> {
  try {
    sandbox = retryingSandbox(await createSandbox(settings, (line) => say({ kind: 'log', line }), pid));
    say({ kind: 'created', name: sandbox.name, isolates: sandbox.isolates });
  } catch (error) {
    say({ kind: 'refused', error: sentError(error) });
  }
}

async function run(id: number, program: SandboxProgram): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    say({ kind: 'ended', id, result: await sandbox!.run(program, controller.signal) });
  } catch (error) {
    say({ kind: 'failed', id, error: sentError(error) });
  } finally {
    running.delete(id);
  }
}

/** Ends all programs, whoever asked for them, and then this process. */
async function end(): Promise<void> {
  for (const controller of running.values()) controller.abort();
  await sandbox?.close();
  process.exit(0);
}

function sentError(error: unknown): SentError {
  if (error instanceof UserError) return { kind: 'user', message: error.message };
  if (error instanceof RecordFailure) return { kind: 'record', failure: error.failure };
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { kind: 'other', message, stack };
}

/**
 * Tries a program again that failed for the sandbox's own reasons, as where somebody ended the sandbox from outside. A
 * program leaves nothing behind in a sandbox, so another try is like the first. The failure says how many there were.
 */
function retryingSandbox(sandbox: Sandbox): Sandbox {
  return {
    ...sandbox,
    async run(program, signal) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await sandbox.run(program, signal);
        } catch (error) {
          if (!(error instanceof RecordFailure) || !error.failure.retryable) throw error;
          const waitMs = WAITS_MS[tries - 1];
          if (waitMs === undefined) throw failedAgain(error, tries);
          await delay(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
        }
      }
    },
  };
}

function failedAgain(error: RecordFailure, tries: number): RecordFailure {
  const { cause, evidence } = error.failure;
  return new RecordFailure(
    cause,
    `${error.message} (${tries} tries)`,
    { ...evidence, tries },
    { cause: error },
  );
}
