import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { ChildProgram, type ProgramStart } from '../../base/programs/childProgram.ts';
import { plainLine } from './tameDefinition.ts';

/** One connection to an MCP server, from its start to its end. */
export interface ServerLink {
  readonly transport: Transport;
  /**
   * Reason for the end of the connection, phrased as the server's action: `ended with status 1: ...`; undefined while
   * open.
   */
  problem(): string | undefined;
  /** Resolves once the connection and its program, if any, have ended. */
  close(): Promise<void>;
}

/**
 * Connection to a program started for it, which speaks the Model Context Protocol on standard input and output. The
 * SDK's own transport neither ends the program's children nor reports how the program ended.
 * @param maxBytes most of one message
 */
export function childLink(program: ProgramStart, maxBytes: number): ServerLink {
  const transport = new ChildTransport(program, maxBytes);
  return { transport, problem: () => transport.problem, close: () => transport.close() };
}

class ChildTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onclose?: Transport['onclose'];
  onerror?: Transport['onerror'];
  problem: string | undefined;
  readonly #start: ProgramStart;
  readonly #maxBytes: number;
  readonly #read: ReadBuffer;
  #program: ChildProgram | undefined;

  constructor(program: ProgramStart, maxBytes: number) {
    this.#start = program;
    this.#maxBytes = maxBytes;
    this.#read = new ReadBuffer({ maxBufferSize: maxBytes });
  }

  async start(): Promise<void> {
    try {
      this.#program = await ChildProgram.start(this.#start);
    } catch (error) {
      this.problem = `can't be started (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`;
      throw error;
    }
    this.#program.output.on('data', (chunk: Buffer) => this.#take(chunk));
    this.#program.onClose(() => this.#over(this.#program!));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#program?.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    await this.#program?.close();
  }

  #take(chunk: Buffer): void {
    try {
      this.#read.append(chunk);
    } catch {
      this.problem ??= `answered with more than ${this.#maxBytes} bytes`;
      this.#program!.signal('SIGKILL');
      return;
    }
    for (;;) {
      try {
        const message = this.#read.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // Not a message: many servers print a greeting.
        this.onerror?.(error as Error);
      }
    }
  }

  #over({ ending, lastWords }: ChildProgram): void {
    const lastLine = /[^\r\n]*$/.exec(lastWords.trimEnd())?.[0] ?? '';
    const words = plainLine(lastLine).slice(0, 500).toWellFormed();
    this.problem ??= words === '' ? ending : `${ending}: ${words}`;
    this.onclose?.();
  }
}
