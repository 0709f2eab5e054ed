import { Agent, request } from 'undici';

/** One request of a client. */
export interface LoadRequest {
  readonly url: string;
  readonly body: string;
  /** Whether the answer is a right one. */
  readonly isRight: (answer: unknown) => boolean;
}

/** What clients got. */
export interface LoadFigures {
  readonly requests: number;
  /** Requests that were not answered, or wrongly; the first few are told in `problems`. */
  readonly errors: number;
  readonly problems: readonly string[];
  /** Of each request, ascending. */
  readonly latenciesMs: Float64Array;
  readonly tookMs: number;
}

const MOST_PROBLEMS = 5;

/** Clients, each with a connection of its own that it keeps. */
export class LoadClients {
  readonly #agent: Agent;
  readonly #clients: number;

  constructor(clients: number) {
    this.#clients = clients;
    this.#agent = new Agent({ connections: clients, pipelining: 1 });
  }

  /**
   * Lets each client ask one request after another.
   *
   * @param nextRequest - Given the number of the request, counted over all clients
   */
  async load(durationMs: number, nextRequest: (n: number) => LoadRequest): Promise<LoadFigures> {
    return loadServer(this.#agent, this.#clients, durationMs, nextRequest);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}

async function loadServer(
  agent: Agent,
  clients: number,
  durationMs: number,
  nextRequest: (n: number) => LoadRequest,
): Promise<LoadFigures> {
  const latencies: number[] = [];
  const problems: string[] = [];
  const startedAt = performance.now();
  let asked = 0;
  let errors = 0;
  const client = async () => {
    while (performance.now() - startedAt < durationMs) {
      const { url, body, isRight } = nextRequest(asked++);
      const before = performance.now();
      const problem = await ask(agent, url, body, isRight);
      latencies.push(performance.now() - before);
      if (problem === undefined) continue;
      errors += 1;
      if (problems.length < MOST_PROBLEMS) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const tookMs = performance.now() - startedAt;
  return {
    requests: latencies.length,
    errors,
    problems,
    latenciesMs: Float64Array.from(latencies).sort(),
    tookMs,
  };
}

async function ask(
  dispatcher: Agent,
  url: string,
  body: string,
  isRight: (answer: unknown) => boolean,
): Promise<string | undefined> {
  try {
    const headers = { 'content-type': 'application/json' };
    const answer = await request(url, { method: 'POST', headers, body, dispatcher });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) return `HTTP status ${answer.statusCode}: ${text.slice(0, 200)}`;
    return isRight(JSON.parse(text)) ? undefined : `a wrong answer: ${text.slice(0, 200)}`;
  } catch (error) {
    return String(error);
  }
}

/** The value that a share of ascending values does not pass. */
export function percentile(values: Float64Array, share: number): number {
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
}
