import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { compileCacheVariable, moduleBeside } from '../../base/moduleBeside.ts';
import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import type { CodeSettings } from '../../schemas/config/tools/code.ts';
import type { RunnerReply, RunnerRequest, SentError } from './programRunner.ts';
import { findCgroup, removeLeftCgroups } from './tree/cgroup.ts';

/** A program whose runner ended under it is given to another runner, so many times; so is the opening. */
const MAX_RESTARTS = 1;

/**
 * The sandbox of `createSandbox` in a small process of its own, so that starting a program costs the same whatever this
 * process holds. A program whose process ends under it runs again in another one.
 *
 * @throws UserError as `createSandbox` does
 */
export async function openSandboxProcess(
  settings: CodeSettings,
  log: (line: string) => void,
): Promise<Sandbox> {
  let say = log;
  const start = () => startRunner(settings, (line) => say(line));
  let runner = start();

  async function withRunner<T>(use: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let restarts = 0; ; restarts += 1) {
      try {
        if (runner.ended()) runner = start();
        return await use();
      } catch (error) {
        if (!(error instanceof RunnerEnded)) throw error;
        signal?.throwIfAborted();
        if (restarts === MAX_RESTARTS) throw new RecordFailure('sandbox_unavailable', error.message);
      }
    }
  }

  const { name, isolates } = await withRunner(() => runner.created);
  // The next one has the same to say about this machine.
  say = () => {};
  return {
    name,
    isolates,
    run: (program, signal) =>
      withRunner(async () => {
        await runner.created;
        return runner.run(program, signal);
      }, signal),
    close: () => runner.close(),
  };
}

class RunnerEnded extends Error {}

interface Runner {
  readonly created: Promise<{ readonly name: Sandbox['name']; readonly isolates: boolean }>;
  /** Rejects with `RunnerEnded` where the process ends before the program. */
  run(program: SandboxProgram, signal: AbortSignal): Promise<SandboxResult>;
  ended(): boolean;
  close(): Promise<void>;
}

/** A question that is not answered yet. */
interface Pending {
  resolve(reply: RunnerReply): void;
  reject(error: Error): void;
}

/** Where programs are found, temporary files, and what is kept for later starts; nothing else of ours. */
const passedOn = ['PATH', 'TMPDIR', 'HOME', 'XDG_CACHE_HOME'] as const;

/**
 * Runs its arguments in a PID namespace of their own, where the machine lets us make one: the kernel kills all processes
 * of a namespace together with its first, and that one together with `unshare`, which is the process that we know. The
 * first is a shell, which takes in orphans. An ordinary user needs a user namespace for it, in which root could not
 * become other users. Ctrl-C is for whoever asks.
 */
function namespaceScript(): string {
  const user = process.geteuid?.() === 0 ? '' : '--user --map-current-user';
  const own = `unshare ${user} --pid --fork --kill-child --mount-proc`;
  return `trap '' HUP INT TERM
if ${own} true; then exec ${own} /bin/sh -c '"$@"; exit "$?"' sh "$@"; fi
exec "$@"`;
}

/** The id of the question whether the sandbox works, beside those of programs. */
const CREATION = 0;

function startRunner(settings: CodeSettings, log: (line: string) => void): Runner {
  const cgroup = findCgroup(settings.cgroup);
  if (cgroup) removeLeftCgroups(cgroup);
  const child = fork(moduleBeside(import.meta.url, 'programRunner'), {
    env: {
      ...Object.fromEntries(passedOn.map((name) => [name, process.env[name]])),
      ...compileCacheVariable(),
    },
    execPath: '/bin/sh',
    execArgv: ['-c', namespaceScript(), 'sh', process.execPath, '--no-warnings'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const pending = new Map<number, Pending>();
  let end: RunnerEnded | undefined;
  let lastId = CREATION;

  const ask = (id: number, request: RunnerRequest) => {
    const answer = new Promise<RunnerReply>((resolve, reject) => {
      if (end) reject(end);
      else pending.set(id, { resolve, reject });
    });
    send(child, request);
    keepAlive(child, true);
    return answer;
  };
  const answered = (id: number): Pending | undefined => {
    const question = pending.get(id);
    pending.delete(id);
    if (pending.size === 0) keepAlive(child, false);
    return question;
  };
  const broke = (why: string) => {
    end ??= new RunnerEnded(`the process that runs programs ended: ${why}`);
    for (const id of [...pending.keys()]) answered(id)!.reject(end);
  };
  child.on('message', (reply: RunnerReply) => {
    if (reply.kind === 'log') log(reply.line);
    else answered('id' in reply ? reply.id : CREATION)?.resolve(reply);
  });
  child.on('error', ({ message }) => broke(message));
  child.on('exit', (status, signal) => {
    // `unshare` that is killed before it has tied its child to itself leaves a runner, which ends without us.
    if (child.connected) child.disconnect();
    broke(signal ?? `status ${status}`);
  });

  const created = ask(CREATION, { kind: 'create', settings, pid: child.pid! }).then((reply) => {
    if (reply.kind === 'refused') throw receivedError(reply.error);
    if (reply.kind !== 'created') throw new Error(`unexpected ${reply.kind}`);
    return reply;
  });
  created.catch(() => send(child, { kind: 'close' }));

  return {
    created,
    ended: () => end !== undefined,
    async run(program, signal) {
      signal.throwIfAborted();
      lastId += 1;
      const id = lastId;
      const abort = () => send(child, { kind: 'abort', id });
      signal.addEventListener('abort', abort);
      try {
        const reply = await ask(id, { kind: 'run', id, program });
        if (reply.kind === 'ended') return reply.result;
        signal.throwIfAborted();
        throw reply.kind === 'failed' ? receivedError(reply.error) : new Error(`unexpected ${reply.kind}`);
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    async close() {
      if (end) return;
      const exited = once(child, 'exit');
      keepAlive(child, true);
      send(child, { kind: 'close' });
      await exited;
    },
  };
}

/** What can't be sent any more has its end told by the process's own. */
function send(child: ChildProcess, request: RunnerRequest): void {
  if (child.connected) child.send(request, () => {});
}

/** Only an unanswered question keeps this process from ending. */
function keepAlive(child: ChildProcess, alive: boolean): void {
  if (alive) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
  }
}

function receivedError(sent: SentError): Error {
  if (sent.kind === 'user') return new UserError(sent.message);
  if (sent.kind === 'other') return Object.assign(new Error(sent.message), { stack: sent.stack });
  const { cause, message, evidence, retryable } = sent.failure;
  return new RecordFailure(cause, message, evidence, { retryable });
}
