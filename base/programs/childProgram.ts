import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Duplex, Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** Start options of a program. */
export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  /** Working directory. */
  readonly cwd: string;
  /** Complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Uses a socket at file descriptor 3 instead of standard input and output: its input is empty then, and its output
   * is discarded.
   */
  readonly usesChannel?: boolean;
}

/** Time to end after its input is closed, and again after SIGTERM. */
const GRACE_MS = 2_000;
/** Characters of standard error that are kept. */
const LAST_WORDS_CHARS = 4_096;

/**
 * A program that answers on standard output or its own channel. It leads a process group: Ctrl-C does not reach it,
 * and its children end with it.
 */
export class ChildProgram {
  /** Stream of its answers. */
  readonly output: Readable;
  readonly #input: Writable;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #lastWords = '';

  private constructor(child: ChildProcess, input: Writable, output: Readable) {
    this.#child = child;
    this.#input = input;
    this.output = output;
    // Its children must not outlive it.
    this.#exited = once(child, 'exit').then(() => this.signal('SIGKILL'));
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      this.#lastWords = `${this.#lastWords}${chunk}`.slice(-LAST_WORDS_CHARS);
    });
    // The program's end explains a broken pipe.
    input.on('error', () => {});
  }

  /** @throws the system's error where the program can't be started */
  static async start({ command, args, cwd, env, usesChannel = false }: ProgramStart): Promise<ChildProgram> {
    const child = spawn(command, args, {
      cwd,
      env,
      detached: true,
      stdio: usesChannel ? ['ignore', 'pipe', 'pipe', 'pipe'] : 'pipe',
    });
    await once(child, 'spawn');
    if (!usesChannel) return new ChildProgram(child, child.stdin!, child.stdout!);
    child.stdout!.resume();
    const channel = child.stdio[3] as Duplex;
    return new ChildProgram(child, channel, channel);
  }

  /** Last output on standard error. */
  get lastWords(): string {
    return this.#lastWords;
  }

  /** Description of its end: `ended with status 1`. */
  get ending(): string {
    const { exitCode, signalCode } = this.#child;
    return signalCode === null ? `ended with status ${exitCode}` : `was ended by ${signalCode}`;
  }

  /** Calls back once it has ended and all its pipes are closed. */
  onClose(listener: () => void): void {
    this.#child.on('close', listener);
  }

  write(text: string): void {
    if (this.#input.writable) this.#input.write(text);
  }

  /** Signals the program and its children. */
  signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#child.pid!, signal);
    } catch {
      // The group has ended.
    }
  }

  /** Closes its input; sends SIGTERM after two seconds, SIGKILL after two more. Resolves once it has ended. */
  async close(): Promise<void> {
    this.#input.end();
    const exited = this.#exited.then(() => true);
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await Promise.race([exited, delay(GRACE_MS, false, { ref: false })])) return;
      this.signal(signal);
    }
    await exited;
  }
}
