import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { RecordFailure } from '../../contract/errors.ts';
import type { SandboxProgram, SandboxResult } from '../../contract/sandbox.ts';
import type { PyodideEnd, PyodideJob } from './pyodideChild.ts';
import { type Cut, collectBytes } from './watchProgram.ts';

/** What a program may use. */
export interface PyodideLimits {
  /** By the clock, without the time in which the program was ready and no core was free for it. */
  readonly timeoutMs: number;
  /** Read of each output stream. */
  readonly outputBytes: number;
  readonly signal: AbortSignal;
}

/** However long it had to wait for a core: a program ends after so many times its limit by the clock. */
const MAX_STRETCH = 20;

/** A process that has Python loaded and runs programs one after another. */
export class PyodideInterpreter {
  readonly #child: ChildProcess;
  readonly #ready: Promise<unknown>;
  readonly #closed: Promise<number>;
  #isReusable = true;

  /** @param child runs `pyodideChild` */
  constructor(child: ChildProcess) {
    this.#child = child;
    this.#closed = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#isReusable = false;
        resolve(code ?? 128 + constants.signals[signal!]);
      });
    });
    const ended = this.#closed.then((status) => {
      throw failure(`its process ended with status ${status}`);
    });
    const broken = once(child, 'error').then(([error]) => {
      throw failure((error as Error).message);
    });
    this.#ready = Promise.race([once(child, 'message'), ended, broken]);
    // Nobody may ask for this process; whoever does is told.
    for (const promise of [this.#ready, ended, broken]) promise.catch(() => {});
    child.on('error', () => {});
  }

  /** Whether another program may run here. */
  get isReusable(): boolean {
    return this.#isReusable;
  }

  kill(): void {
    this.#isReusable = false;
    this.#child.kill('SIGKILL');
  }

  /**
   * Runs a program, the next only when this one has ended.
   *
   * @throws RecordFailure (`sandbox_unavailable`) where Python could not be loaded, and the signal's reason
   */
  async run(
    { code, stdin }: SandboxProgram,
    { timeoutMs, outputBytes, signal }: PyodideLimits,
  ): Promise<SandboxResult> {
    const kill = () => this.kill();
    signal.addEventListener('abort', kill);
    let deadline: Deadline | undefined;
    try {
      if (signal.aborted) kill();
      await this.#ready.catch((error) => {
        this.#isReusable = false;
        signal.throwIfAborted();
        throw error;
      });
      let cut: Cut | undefined;
      const end = (kind: Cut) => {
        cut ??= kind;
        kill();
      };
      const startedAt = performance.now();
      deadline = new Deadline(
        timeoutMs,
        () => waitedForCoreMs(this.#child.pid!),
        () => end('timed_out'),
      );
      const streams = [this.#child.stdout!, this.#child.stderr!] as const;
      const outputs = streams.map(
        (stream) => new ProgramOutput(stream, outputBytes, () => end('output_limit')),
      );
      const exitCode = await this.#statusOf({ code, stdin }, outputs);
      for (const output of outputs) output.close();
      signal.throwIfAborted();
      const [stdout, stderr] = outputs.map((output) => output.text());
      const durationMs = performance.now() - startedAt;
      return {
        kind: cut ?? 'exited',
        exitCode: cut ? null : exitCode,
        stdout: stdout!,
        stderr: stderr!,
        durationMs,
      };
    } finally {
      deadline?.clear();
      signal.removeEventListener('abort', kill);
    }
  }

  /** The program's status once all that it wrote has been read. */
  async #statusOf(job: PyodideJob, outputs: readonly ProgramOutput[]): Promise<number> {
    const said = once(this.#child, 'message').then(([end]) => end as PyodideEnd);
    this.#child.send(job, () => {});
    const end = await Promise.race([said, this.#closed]);
    if (typeof end === 'number') return end;
    this.#isReusable &&= end.reusable;
    await Promise.race([
      Promise.all(outputs.map((output, n) => output.reaches(end.written[n]!))),
      this.#closed,
    ]);
    return end.status;
  }
}

/**
 * Calls `onEnd` after so much time of a program's own: an overloaded machine, where programs wait for a core longer
 * than they compute, gives the results of an idle one.
 *
 * @param waitedMs milliseconds that the program's process has waited for a core since it was started
 */
export class Deadline {
  readonly #startedAt = performance.now();
  readonly #waitedBefore: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeoutMs: number, waitedMs: () => number, onEnd: () => void) {
    this.#waitedBefore = waitedMs();
    const look = () => {
      const elapsedMs = performance.now() - this.#startedAt;
      const leftMs = Math.min(
        timeoutMs - (elapsedMs - (waitedMs() - this.#waitedBefore)),
        MAX_STRETCH * timeoutMs - elapsedMs,
      );
      if (leftMs > 0) this.#timer = setTimeout(look, Math.ceil(leftMs));
      else onEnd();
    };
    this.#timer = setTimeout(look, timeoutMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

/** Milliseconds that a process's first thread has waited for a core; 0 where the system does not count them. */
function waitedForCoreMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** What one program writes on a stream that others write on after it. */
class ProgramOutput {
  readonly #stream: Readable;
  readonly #bytes: () => Buffer;
  readonly #count: (chunk: Buffer) => void;
  #read = 0;
  #goal = Number.POSITIVE_INFINITY;
  #reached: () => void = () => {};

  constructor(stream: Readable, maxBytes: number, onLimit: () => void) {
    this.#stream = stream;
    this.#bytes = collectBytes(stream, maxBytes, onLimit);
    this.#count = (chunk) => {
      this.#read += chunk.length;
      if (this.#read >= this.#goal) this.#reached();
    };
    stream.on('data', this.#count);
  }

  /** Waits until so many bytes have been read. */
  async reaches(bytes: number): Promise<void> {
    this.#goal = bytes;
    if (this.#read >= bytes) return;
    await new Promise<void>((resolve) => {
      this.#reached = resolve;
    });
  }

  text(): string {
    return this.#bytes().toString('utf8');
  }

  close(): void {
    this.#stream.removeAllListeners('data');
  }
}

function failure(why: string): RecordFailure {
  return new RecordFailure('sandbox_unavailable', `Pyodide failed: ${why}`, { sandbox: 'pyodide' });
}
