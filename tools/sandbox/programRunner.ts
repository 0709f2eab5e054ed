/**
 * The process that runs a sandbox's programs for another. Starting a program copies the page tables of the whole
 * process that starts it: this one stays small, however much its parent holds.
 */
import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import type { CodeSettings } from '../../schemas/config/tools/code.ts';
import type { StageFailure } from '../../schemas/outcome.ts';
import { createSandbox } from './createSandbox.ts';

/** What the process is asked. `create` comes first and once; ids are the asker's. */
export type RunnerRequest =
  | { readonly kind: 'create'; readonly settings: CodeSettings }
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

let sandbox: Sandbox | undefined;
const running = new Map<number, AbortController>();
const say = (reply: RunnerReply) => process.connected && process.send!(reply);

// Ctrl-C reaches every process of the terminal: whoever asks decides when programs end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => void end());
process.on('message', (request: RunnerRequest) => {
  if (request.kind === 'create') void create(request.settings);
  if (request.kind === 'run') void run(request.id, request.program);
  if (request.kind === 'abort') running.get(request.id)?.abort();
  if (request.kind === 'close') process.disconnect();
});

async function create(settings: CodeSettings): Promise<void> {
  try {
    sandbox = await createSandbox(settings, (line) => say({ kind: 'log', line }));
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
