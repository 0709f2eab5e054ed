import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import {
  type ServerProcess,
  type ServerProgram,
  startServerProcess,
  whenEnded,
} from './startServerProcess.ts';

/** Messages that are no answers may have, until the next answer, so many times the most bytes of one message. */
const MESSAGES_WITHOUT_ANSWER = 10;

/**
 * A connection to a program that is started for it. The SDK's own transport tells neither how the program ended nor
 * what it said last, and ends the program alone, not what that has started.
 *
 * @param maxBytes most of one message, in either direction
 */
export function childLink(program: ServerProgram, maxBytes: number): ServerLink {
  const transport = new ChildTransport(program, maxBytes);
  return { transport, problem: () => transport.problem, close: () => transport.close() };
}

class ChildTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  problem: string | undefined;
  readonly #program: ServerProgram;
  readonly #maxBytes: number;
  readonly #read: ReadBuffer;
  #server: ServerProcess | undefined;
  readonly #asked = new Set<RequestId>();
  #bytesSinceAnswer = 0;

  constructor(program: ServerProgram, maxBytes: number) {
    this.#program = program;
    this.#maxBytes = maxBytes;
    this.#read = new ReadBuffer({ maxBufferSize: maxBytes });
  }

  async start(): Promise<void> {
    try {
      this.#server = await startServerProcess(this.#program);
    } catch (error) {
      this.problem = `can't be started (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`;
      throw error;
    }
    const { child } = this.#server;
    child.stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    // What it does not read is told by its end.
    for (const stream of [child.stdin, child.stdout]) stream.on('error', () => undefined);
    void whenEnded(this.#server).then(() => this.#over(this.#server!));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#server?.child.stdin;
    // Of a program that has ended its end will tell.
    if (!stdin?.writable) return;
    if ('method' in message && 'id' in message) this.#asked.add(message.id);
    stdin.write(serializeMessage(message));
    // Nobody waits for what is written: a server that reads nothing must not stop this process, nor fill its memory.
    if (stdin.writableLength > this.#maxBytes) this.#giveUp('does not read what it is sent');
  }

  async close(): Promise<void> {
    await this.#server?.end();
  }

  #take(chunk: Buffer): void {
    if (this.problem !== undefined) return;
    this.#bytesSinceAnswer += chunk.length;
    try {
      this.#read.append(chunk);
    } catch {
      this.#giveUp(`answered with more than ${this.#maxBytes} bytes`);
      return;
    }
    this.#deliver();
    const most = MESSAGES_WITHOUT_ANSWER * this.#maxBytes;
    // One that talks for ever would slow down everything else here for as long as the run lasts.
    if (this.#bytesSinceAnswer > most) this.#giveUp(`sent more than ${most} bytes without an answer`);
  }

  #deliver(): void {
    for (;;) {
      try {
        const message = this.#read.readMessage();
        if (message === null) return;
        if (this.#isAnswer(message)) this.#bytesSinceAnswer = 0;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no message: many servers greet whoever starts them.
        this.onerror?.(error as Error);
      }
    }
  }

  /** True for the first answer to something that was asked. */
  #isAnswer(message: JSONRPCMessage): boolean {
    if ('method' in message || message.id === undefined) return false;
    return this.#asked.delete(message.id);
  }

  #giveUp(problem: string): void {
    this.problem ??= problem;
    this.#server?.kill();
  }

  #over({ child, lastWords }: ServerProcess): void {
    const { exitCode, signalCode } = child;
    const how = signalCode === null ? `ended with status ${exitCode}` : `was ended by ${signalCode}`;
    const words = lastWords();
    this.problem ??= words === '' ? how : `${how}: ${words}`;
    this.#read.clear();
    this.onclose?.();
  }
}

/** One connection to an MCP server, from its start to its end. */
export interface ServerLink {
  readonly transport: Transport;
  /** Why the connection is over, as what the server did: `ended with status 1: ...`; undefined while it is not. */
  problem(): string | undefined;
  /** Resolves once nothing of the connection is left: its processes have ended. */
  close(): Promise<void>;
}
