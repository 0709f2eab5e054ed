/**
 * Process that runs a sandbox's programs for its parent. Starting a program copies the page tables of the starting
 * process: this one stays small.
 */
import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import type { CodeSettings } from '../../schemas/config/tools/code.ts';
import type { StageFailure } from '../../schemas/outcome.ts';
import { createSandbox } from './createSandbox.ts';

/** Requests of the process. `create` comes first and once. */
export type RunnerRequest =
  | { readonly kind: 'create'; readonly id: string; readonly settings: CodeSettings }
  | { readonly kind: 'run'; readonly id: string; readonly program: SandboxProgram }
  | { readonly kind: 'abort'; readonly id: string }
  | { readonly kind: 'close' };

/** Answer to the request with the same id; a program is answered once none of its processes runs. */
export type RunnerAnswer = { readonly id: string } & (
  | { readonly kind: 'created'; readonly name: Sandbox['name']; readonly isolates: boolean }
  | { readonly kind: 'ended'; readonly result: SandboxResult }
  | { readonly kind: 'failed'; readonly error: SentError }
);

export type RunnerReply = RunnerAnswer | { readonly kind: 'log'; readonly line: string };

/** Serialised error. */
export type SentError =
  | { readonly kind: 'user'; readonly message: string }
  | { readonly kind: 'record'; readonly failure: StageFailure }
  | { readonly kind: 'other'; readonly message: string; readonly stack: string | undefined };

let sandbox: Sandbox | undefined;
const running = new Map<string, AbortController>();
const say = (reply: RunnerReply) => process.connected && process.send!(reply);

// Ctrl-C reaches every process of the terminal: the parent decides when programs end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('disconnect', () => void end());
process.on('message', (request: RunnerRequest) => {
  if (request.kind === 'create') void create(request.id, request.settings);
  if (request.kind === 'run') void run(request.id, request.program);
  if (request.kind === 'abort') running.get(request.id)?.abort();
  if (request.kind === 'close') process.disconnect();
});

async function create(id: string, settings: CodeSettings): Promise<void> {
  try {
    sandbox = await createSandbox(settings, (line) => say({ kind: 'log', line }));
    say({ kind: 'created', id, name: sandbox.name, isolates: sandbox.isolates });
  } catch (error) {
    say({ kind: 'failed', id, error: sentError(error) });
  }
}

async function run(id: string, program: SandboxProgram): Promise<void> {
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

/** Ends all programs, then this process. */
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
