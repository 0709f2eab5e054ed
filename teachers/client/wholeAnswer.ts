import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { UnusableBody } from './endpointFault.ts';

/** An answer over HTTP. */
export interface HttpAnswer {
  readonly status: number;
  /** Value of a header by its lower-case name; repeated ones are joined. */
  header(name: string): string | undefined;
  readonly text: string;
}

/** Maximum body size; a larger one is an `UnusableBody`. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * Reads one complete answer up to the limit, directly from undici: the Fetch classes and Node's streams around it
 * cost as much CPU as the rest of a call.
 */
export class WholeAnswer implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number;
  readonly #settled = Promise.withResolvers<HttpAnswer>();
  #controller: Dispatcher.DispatchController | undefined;
  #givenUp: Error | undefined;
  #status = 0;
  #headers: Readonly<IncomingHttpHeaders> = {};
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes = MAX_ANSWER_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Rejects with the connection's error, or with the reason of {@link giveUp}. */
  get answer(): Promise<HttpAnswer> {
    return this.#settled.promise;
  }

  /** Closes the connection. */
  giveUp(reason: Error): void {
    this.#givenUp = reason;
    this.#settled.reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Abandoned while it waited for a connection.
    if (this.#givenUp) controller.abort(this.#givenUp);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes <= this.#maxBytes) {
      this.#parts.push(part);
      return;
    }
    const message = `the endpoint's answer is larger than ${this.#maxBytes} bytes`;
    this.giveUp(new UnusableBody(message, { retried: false }));
  }

  onResponseEnd(): void {
    const [first = Buffer.of(), ...more] = this.#parts;
    const text = (more.length === 0 ? first : Buffer.concat(this.#parts)).toString();
    // A byte order mark is not part of JSON.
    const withoutMark = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    const header = (name: string) => this.#headers[name]?.toString();
    this.#settled.resolve({ status: this.#status, header, text: withoutMark });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#settled.reject(error);
  }
}
