import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { RecordFailure } from '../../contract/errors.ts';
import type { SandboxResult } from '../../contract/sandbox.ts';

/** Interval between checks of a program's resource use. */
const LOOK_EVERY_MS = 20;

/** Reason for ending a program. */
export type Cut = Exclude<SandboxResult['kind'], 'exited'>;

/** Input and limits of a running program. */
export interface WatchOptions {
  readonly stdin: string;
  readonly timeoutMs: number;
  /** Maximum bytes read of one output stream; a program that writes more is killed. */
  readonly outputBytes: number;
  readonly signal: AbortSignal;
  /** Checks resource use; returns the reason to end the program, if any. An exception also ends it. */
  readonly look?: () => Cut | undefined;
  /** Kills the program and its children. */
  readonly kill: () => void;
}

/**
 * Waits until a program has ended and its streams are closed. A status above 128 is 128 + the signal. Rejects with
 * the signal's reason on abort, with `RecordFailure` (`sandbox_unavailable`) for a missing program, and with an error
 * of `look`, each after the program has ended.
 */
export async function watchProgram(
  child: ChildProcess,
  { stdin, timeoutMs, outputBytes, signal, look, kill }: WatchOptions,
): Promise<SandboxResult> {
  const startedAt = performance.now();
  let cut: Cut | undefined;
  const end = (kind: Cut) => {
    cut ??= kind;
    kill();
  };
  const collect = (stream: Readable) =>
    collectBytes(stream, outputBytes, () => {
      end('output_limit');
      // Further reading would let it write megabytes before the kill arrives, and report its broken pipe.
      child.stdout!.destroy();
      child.stderr!.destroy();
    });
  const [stdout, stderr] = [collect(child.stdout!), collect(child.stderr!)];
  const timer = setTimeout(() => end('timed_out'), timeoutMs);
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
    kill();
  };
  const looking = look && lookOften(look, end, fail);
  signal.addEventListener('abort', kill);
  if (signal.aborted) kill();
  try {
    const closed = exitStatus(child);
    feed(child, stdin);
    const status = await closed;
    signal.throwIfAborted();
    if (failure !== undefined) throw failure;
    return {
      kind: cut ?? 'exited',
      exitCode: cut ? null : status,
      stdout: stdout().toString('utf8'),
      stderr: stderr().toString('utf8'),
      durationMs: performance.now() - startedAt,
    };
  } finally {
    clearTimeout(timer);
    clearInterval(looking);
    signal.removeEventListener('abort', kill);
  }
}

function lookOften(
  look: () => Cut | undefined,
  end: (kind: Cut) => void,
  fail: (error: unknown) => void,
): NodeJS.Timeout {
  return setInterval(() => {
    try {
      const kind = look();
      if (kind !== undefined) end(kind);
    } catch (error) {
      fail(error);
    }
  }, LOOK_EVERY_MS);
}

function exitStatus(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      const message = `the sandbox could not be started: ${cause.message}`;
      reject(new RecordFailure('sandbox_unavailable', message, {}, { cause }));
    });
    child.once('close', (code, name) => resolve(code ?? 128 + constants.signals[name!]));
  });
}

/** Feeds the input; a program may end without reading it, so a broken pipe is no error. */
function feed(child: ChildProcess, stdin: string): void {
  child.stdin!.on('error', () => {});
  child.stdin!.end(stdin);
}

/** Reads a stream up to a limit and drops the rest; returns a function for the bytes so far. */
export function collectBytes(stream: Readable, maxBytes: number, onLimit: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  let room = maxBytes;
  stream.on('data', (chunk: Buffer) => {
    if (chunk.length > room) onLimit();
    if (room > 0) chunks.push(chunk.subarray(0, room));
    room = Math.max(0, room - chunk.length);
  });
  return () => Buffer.concat(chunks);
}
