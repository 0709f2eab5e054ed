import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { compileCacheVariable, moduleBeside } from '../../base/moduleBeside.ts';
import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import type { CodeSettings } from '../../schemas/config/tools/code.ts';
import type { RunnerReply, RunnerRequest, SentError } from './programRunner.ts';
import { findCgroup, removeLeftCgroups } from './tree/cgroup.ts';

/**
 * The sandbox of `createSandbox` in a small process of its own, so that starting a program costs the same whatever this
 * process holds. A program whose process ends under it fails (`sandbox_unavailable`); the next one starts another.
 *
 * @throws UserError as `createSandbox` does
 */
export async function openSandboxProcess(
  settings: CodeSettings,
  log: (line: string) => void,
): Promise<Sandbox> {
  let runner = startRunner(settings, log);
  const { name, isolates } = await runner.created;
  return {
    name,
    isolates,
    run: async (program, signal) => {
      // The next one has the same to say about this machine.
      if (runner.ended()) runner = startRunner(settings, () => {});
      await runner.created;
      return runner.run(program, signal);
    },
    close: () => runner.close(),
  };
}

interface Runner {
  readonly created: Promise<{ readonly name: Sandbox['name']; readonly isolates: boolean }>;
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
    execArgv: ['--no-warnings'],
    // Ctrl-C is for whoever asks.
    detached: true,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const pending = new Map<number, Pending>();
  let end: RecordFailure | undefined;
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
    end ??= new RecordFailure('sandbox_unavailable', `the process that runs programs ended: ${why}`);
    for (const id of [...pending.keys()]) answered(id)!.reject(end);
  };
  child.on('message', (reply: RunnerReply) => {
    if (reply.kind === 'log') log(reply.line);
    else answered('id' in reply ? reply.id : CREATION)?.resolve(reply);
  });
  child.on('error', ({ message }) => broke(message));
  child.on('exit', (status, signal) => {
    broke(signal ?? `status ${status}`);
  });

  const created = ask(CREATION, { kind: 'create', settings }).then((reply) => {
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
