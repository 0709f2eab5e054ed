import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { compileCacheVariable, moduleBeside } from '../../base/moduleBeside.ts';
import { OpenQuestions } from '../../base/openQuestions.ts';
import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import type { CodeSettings } from '../../schemas/config/tools/code.ts';
import type { RunnerAnswer, RunnerReply, RunnerRequest, SentError } from './programRunner.ts';
import { findCgroup, removeLeftCgroups } from './tree/cgroup.ts';

/**
 * Sandbox of `createSandbox` in a small separate process, so that the cost of starting a program does not depend on
 * this process's size. A program fails (`sandbox_unavailable`) if its process ends; the next one starts another.
 * @param module the runner's program
 * @throws UserError as `createSandbox` does
 */
export async function openSandboxProcess(
  settings: CodeSettings,
  log: (line: string) => void,
  module = moduleBeside(import.meta.url, 'programRunner'),
): Promise<Sandbox> {
  let runner = startRunner(module, settings, log);
  const { name, isolates } = await runner.created;
  return {
    name,
    isolates,
    run: async (program, signal) => {
      // The next process would report the same about this machine.
      if (runner.ended()) runner = startRunner(module, settings, () => {});
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

/** Inherited variables: program path, temporary files, and cache; nothing else. */
const passedOn = ['PATH', 'TMPDIR', 'HOME', 'XDG_CACHE_HOME'] as const;

function startRunner(module: URL, settings: CodeSettings, log: (line: string) => void): Runner {
  const cgroup = findCgroup(settings.cgroup);
  if (cgroup) removeLeftCgroups(cgroup);
  const child = fork(module, {
    env: {
      ...Object.fromEntries(passedOn.map((name) => [name, process.env[name]])),
      ...compileCacheVariable(),
    },
    execArgv: ['--no-warnings'],
    // Ctrl-C is left to the parent.
    detached: true,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const questions = new OpenQuestions<RunnerAnswer>();
  const keepAliveWhileAsked = () => keepAlive(child, questions.count > 0);
  const ask = (request: (id: string) => RunnerRequest) => {
    const answer = questions.ask((id) => send(child, request(id)));
    keepAliveWhileAsked();
    return answer;
  };
  const end = (why: string) => {
    questions.end(new RecordFailure('sandbox_unavailable', `the process that runs programs ended: ${why}`));
    keepAliveWhileAsked();
  };
  child.on('message', (reply: RunnerReply) => {
    if (reply.kind === 'log') log(reply.line);
    else if (!questions.answer(reply.id, reply)) {
      end('it answered what it was not asked');
      child.kill('SIGKILL');
    }
    keepAliveWhileAsked();
  });
  child.on('error', ({ message }) => end(message));
  child.on('exit', (status, signal) => end(signal ?? `status ${status}`));

  const created = ask((id) => ({ kind: 'create', id, settings })).then((answer) => {
    if (answer.kind === 'created') return answer;
    throw errorOf(answer);
  });
  created.catch(() => send(child, { kind: 'close' }));

  return {
    created,
    ended: () => questions.ended !== undefined,
    async run(program, signal) {
      signal.throwIfAborted();
      let abort = () => {};
      try {
        const answer = await ask((id) => {
          abort = () => send(child, { kind: 'abort', id });
          signal.addEventListener('abort', abort);
          return { kind: 'run', id, program };
        });
        if (answer.kind === 'ended') return answer.result;
        signal.throwIfAborted();
        throw errorOf(answer);
      } finally {
        signal.removeEventListener('abort', abort);
      }
    },
    async close() {
      if (questions.ended) return;
      const exited = once(child, 'exit');
      keepAlive(child, true);
      send(child, { kind: 'close' });
      await exited;
    },
  };
}

function errorOf(answer: RunnerAnswer): Error {
  return answer.kind === 'failed' ? receivedError(answer.error) : new Error(`unexpected ${answer.kind}`);
}

/** Sends a request; a failed send is reported by the end of the process. */
function send(child: ChildProcess, request: RunnerRequest): void {
  if (child.connected) child.send(request, () => {});
}

/** Only a pending question keeps this process alive. */
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
