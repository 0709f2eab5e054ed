import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
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

/** One connection to an MCP server, from its start to its end. */
export interface ServerLink {
  readonly transport: Transport;
  /** Why the connection is over, as what the server did: `ended with status 1: ...`; undefined while it is not. */
  problem(): string | undefined;
  /** Resolves once the connection has ended, and with it the program, if any. */
  close(): Promise<void>;
}

/**
 * A connection to a program that is started for it, as the leader of a process group of its own: Ctrl-C does not reach
 * it, and what it started ends with it. The SDK's own transport does neither, nor says how the program ended.
 *
 * @param maxBytes most of one message
 */
export function childLink(program: ServerProgram, maxBytes: number): ServerLink {
  const transport = new ChildTransport(program, maxBytes);
  return { transport, problem: () => transport.problem, close: () => transport.close() };
}

/** How long a program may take to end when its input is closed, and again after SIGTERM. */
const GRACE_MS = 2_000;
/** Kept of standard error. */
const LAST_WORDS_CHARS = 4_096;

class ChildTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  problem: string | undefined;
  readonly #program: ServerProgram;
  readonly #maxBytes: number;
  readonly #read: ReadBuffer;
  #child: ChildProcessWithoutNullStreams | undefined;
  #exited: Promise<unknown> | undefined;
  #lastWords = '';

  constructor(program: ServerProgram, maxBytes: number) {
    this.#program = program;
    this.#maxBytes = maxBytes;
    this.#read = new ReadBuffer({ maxBufferSize: maxBytes });
  }

  async start(): Promise<void> {
    const { command, args, cwd, env } = this.#program;
    const child = spawn(command, args, { cwd, env, detached: true, stdio: 'pipe' });
    try {
      await once(child, 'spawn');
    } catch (error) {
      this.problem = `can't be started (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`;
      throw error;
    }
    this.#child = child;
    // What the program started must not outlive it.
    this.#exited = once(child, 'exit').then(() => this.#signal('SIGKILL'));
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.#lastWords = `${this.#lastWords}${chunk}`.slice(-LAST_WORDS_CHARS);
    });
    // A broken pipe is explained by the program's end.
    child.stdin.on('error', () => {});
    child.on('close', () => this.#over(child));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin?.writable) stdin.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    if (!this.#child) return;
    this.#child.stdin.end();
    const exited = this.#exited!.then(() => true);
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (await Promise.race([exited, delay(GRACE_MS, false, { ref: false })])) return;
      this.#signal(signal);
    }
    await exited;
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      process.kill(-this.#child!.pid!, signal);
    } catch {
      // The group has ended.
    }
  }

  #take(chunk: Buffer): void {
    try {
      this.#read.append(chunk);
    } catch {
      this.problem ??= `answered with more than ${this.#maxBytes} bytes`;
      this.#signal('SIGKILL');
      return;
    }
    for (;;) {
      try {
        const message = this.#read.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is not a message: many servers greet whoever starts them.
        this.onerror?.(error as Error);
      }
    }
  }

  #over({ exitCode, signalCode }: ChildProcessWithoutNullStreams): void {
    const how = signalCode === null ? `ended with status ${exitCode}` : `was ended by ${signalCode}`;
    const lastLine = /[^\r\n]*$/.exec(this.#lastWords.trimEnd())?.[0] ?? '';
    const words = plainLine(lastLine).slice(0, 500).toWellFormed();
    this.problem ??= words === '' ? how : `${how}: ${words}`;
    this.onclose?.();
  }
}
