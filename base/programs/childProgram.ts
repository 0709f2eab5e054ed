import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** How a program is started. */
export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  /** Folder to start it in. */
  readonly cwd: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** How long a program may take to end when its input is closed, and again after SIGTERM. */
const GRACE_MS = 2_000;
/** Kept of standard error, in characters. */
const LAST_WORDS_CHARS = 4_096;

/**
 * A program that is spoken to on its standard input and output, as the leader of a process group of its own: Ctrl-C
 * does not reach it, and what it started ends with it.
 */
export class ChildProgram {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<unknown>;
  #lastWords = '';

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    // What the program started must not outlive it.
    this.#exited = once(child, 'exit').then(() => this.signal('SIGKILL'));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#lastWords = `${this.#lastWords}${chunk}`.slice(-LAST_WORDS_CHARS);
    });
    // A broken pipe is explained by the program's end.
    child.stdin.on('error', () => {});
  }

  /** @throws the system's error where the program can't be started */
  static async start({ command, args, cwd, env }: ProgramStart): Promise<ChildProgram> {
    const child = spawn(command, args, { cwd, env, detached: true, stdio: 'pipe' });
    await once(child, 'spawn');
    return new ChildProgram(child);
  }

  /** The end of its standard error. */
  get lastWords(): string {
    return this.#lastWords;
  }

  /** How it ended: `ended with status 1`. */
  get ending(): string {
    const { exitCode, signalCode } = this.#child;
    return signalCode === null ? `ended with status ${exitCode}` : `was ended by ${signalCode}`;
  }

  onOutput(listener: (chunk: Buffer) => void): void {
    this.#child.stdout.on('data', listener);
  }

  /** Called when it has ended and all that it wrote was read. */
  onClose(listener: () => void): void {
    this.#child.on('close', listener);
  }

  write(text: string): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(text);
  }

  /** Sends a signal to the program and all that it started. */
  signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#child.pid!, signal);
    } catch {
      // The group has ended.
    }
  }

  /** Closes its input; SIGTERM after two seconds, SIGKILL after two more. Resolves once it has ended. */
  async close(): Promise<void> {
    this.#child.stdin.end();
    const exited = this.#exited.then(() => true);
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await Promise.race([exited, delay(GRACE_MS, false, { ref: false })])) return;
      this.signal(signal);
    }
    await exited;
  }
}
