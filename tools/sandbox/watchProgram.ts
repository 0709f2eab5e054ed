import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { RecordFailure } from '../../pipeline/contract/errors.ts';
import type { SandboxResult } from '../../pipeline/contract/sandbox.ts';

/** Most bytes read of one output stream; a program that writes more is killed. */
export const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** What a running program is fed and when it is ended. */
export interface WatchOptions {
  readonly stdin: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Ends the program and everything it started. */
  readonly kill: () => void;
}

/**
 * Waits until a program has ended and its streams are closed. A status above 128 is 128 + the signal that ended it.
 * Rejects with the signal's reason when it is aborted, with `RecordFailure` (`sandbox_unavailable`) when there is no
 * such program to start.
 */
export async function watchProgram(
  child: ChildProcess,
  { stdin, timeoutMs, signal, kill }: WatchOptions,
): Promise<SandboxResult> {
  const startedAt = performance.now();
  let cut: 'timed_out' | 'output_limit' | undefined;
  const end = (kind: 'timed_out' | 'output_limit') => {
    cut ??= kind;
    kill();
  };
  const stdout = collect(child.stdout!, () => end('output_limit'));
  const stderr = collect(child.stderr!, () => end('output_limit'));
  const timer = setTimeout(() => end('timed_out'), timeoutMs);
  signal.addEventListener('abort', kill);
  if (signal.aborted) kill();
  try {
    const closed = exitStatus(child);
    feed(child, stdin);
    const status = await closed;
    signal.throwIfAborted();
    return {
      kind: cut ?? 'exited',
      exitCode: cut ? null : status,
      stdout: stdout(),
      stderr: stderr(),
      durationMs: performance.now() - startedAt,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', kill);
  }
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

/** A program may end without reading its input: the broken pipe is no error. */
function feed(child: ChildProcess, stdin: string): void {
  child.stdin!.on('error', () => {});
  child.stdin!.end(stdin);
}

/** Reads a stream up to the limit; gives back what reads the text so far. */
function collect(stream: Readable, onLimit: () => void): () => string {
  const chunks: Buffer[] = [];
  let room = MAX_OUTPUT_BYTES;
  stream.on('data', (chunk: Buffer) => {
    if (chunk.length > room) onLimit();
    if (room > 0) chunks.push(chunk.subarray(0, room));
    room = Math.max(0, room - chunk.length);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
