import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { plainLine } from './tameDefinition.ts';

/** A program that speaks the Model Context Protocol on its standard input and output. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Folder to start it in. */
  readonly cwd: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program that was started. */
export interface ServerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  /** What it wrote last on standard error, one line of at most 500 characters; empty when nothing. */
  lastWords(): string;
  /** Ends it: its input is closed, then it is asked to end, then it and its descendants are killed. */
  end(): Promise<void>;
  /** Kills it and its descendants at once. */
  kill(): void;
}

/** How long a program may take to end when its input is closed, and again when it is asked to. */
const GRACE_MS = 2_000;
/** Kept of standard error. */
const LAST_WORDS_CHARS = 4_096;
/** How long what a program had written may take to arrive after its end. */
const DRAIN_MS = 1_000;

/**
 * Starts a program as the leader of a process group of its own, so that Ctrl-C does not reach it and its descendants
 * can be ended with it. A second process waits for this one to end, however it does, and kills the group then.
 *
 * @throws the system's error when it can't be started, for instance `ENOENT`
 */
export async function startServerProcess(program: ServerProgram): Promise<ServerProcess> {
  const { command, args, cwd, env } = program;
  const child = spawn(command, args, { cwd, env, detached: true, stdio: 'pipe' });
  await once(child, 'spawn');
  const watch = watchOver(child.pid!);
  const tail = keepTail(child);
  const exited = once(child, 'exit').then(() => {
    // What the program started must not outlive it.
    signalGroup(child, 'SIGKILL');
    release(watch);
  });
  return {
    child,
    lastWords: () => lastLine(tail()),
    async end() {
      child.stdin.end();
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        if (await within(GRACE_MS, exited)) break;
        signalGroup(child, signal);
      }
      await exited;
    },
    kill: () => signalGroup(child, 'SIGKILL'),
  };
}

/** Resolves once the program has ended and what it wrote has been read, or would take too long. */
export async function whenEnded({ child }: ServerProcess): Promise<void> {
  const closed = once(child, 'close');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  // A descendant in another session can hold the output open for ever.
  await within(DRAIN_MS, closed);
}

/** A shell that reads from this process, and so learns of its end; it is in a group of its own. */
function watchOver(group: number): ChildProcess {
  const script = 'read -r _; kill -s KILL -- "-$1"';
  const watch = spawn('/bin/sh', ['-c', script, 'sh', String(group)], {
    detached: true,
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell on the machine there is no watch; the server still reads the end of its input.
  watch.on('error', () => undefined);
  watch.stdin?.on('error', () => undefined);
  return watch;
}

/** Ends the watch before its input ends: the group's number may be another's by then. */
function release(watch: ChildProcess): void {
  watch.kill('SIGKILL');
  watch.stdin?.end();
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal);
  } catch {
    // Nobody is left.
  }
}

function keepTail({ stderr }: ChildProcessWithoutNullStreams): () => string {
  let tail = '';
  stderr.setEncoding('utf8').on('data', (chunk: string) => {
    tail = `${tail}${chunk}`.slice(-LAST_WORDS_CHARS);
  });
  stderr.on('error', () => undefined);
  return () => tail;
}

function lastLine(text: string): string {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '');
  return plainLine(lines.at(-1) ?? '')
    .slice(0, 500)
    .toWellFormed();
}

/** True when the promise was settled within the time. */
async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return inTime;
}
