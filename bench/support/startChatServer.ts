import { type ForkedServer, forkServer } from './forkServer.ts';

/** How the server of the benchmarks answers. */
export interface ChatServerSettings {
  readonly latency: 'fixed' | 'lognormal';
  readonly meanMs: number;
  /** Shares of the requests that are answered 429 or 500 at once, or with a 200 that breaks off. */
  readonly faults?: { readonly refused: number; readonly broken: number; readonly malformed: number };
}

/** What the server saw; times by its own clock. */
export interface ChatServerFigures {
  requests: number;
  mostAtOnce: number;
  /** When the first request came in. */
  firstInMs: number;
  /** When the last answer went out. */
  lastOutMs: number;
  cpuMs: number;
  /** Latencies of all requests, summed. */
  workMs: number;
}

/** Starts the server of the benchmarks as a process of its own. */
export function startChatServer(settings: ChatServerSettings): Promise<ForkedServer<ChatServerFigures>> {
  return forkServer('chatServer.ts', settings);
}
