import PQueue from 'p-queue';
import { Agent } from 'undici';

/** Longest wait for a TCP and TLS connection. */
const CONNECT_TIMEOUT_MS = 30_000;

/** The slots and sockets of one endpoint. */
export class EndpointConnection {
  /** Requests in flight; a retry that waits is not among them. */
  readonly slots: PQueue;
  /** undici's own limits are off: a slow model may think for longer than its 300 s. */
  readonly dispatcher: Agent;

  constructor(concurrency: number) {
    this.slots = new PQueue({ concurrency });
    this.dispatcher = new Agent({
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    });
  }
}
