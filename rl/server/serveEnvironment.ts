import { failureOf } from '../../contract/errors.ts';
import type { Session } from '../../contract/session.ts';
import type { FailureCause } from '../../schemas/failureCauses.ts';
import { requestLine, type ToolEndpoint } from '../../tools/servers/createToolApp.ts';
import { parseRequest, RETRY_AFTER, Refusal } from '../../tools/servers/refusal.ts';
import { ANSWER_TIMEOUT_MS, startToolServer, type ToolServer } from '../../tools/servers/startToolServer.ts';
import { type RlNextAnswer, rlNextRequestSchema } from '../records/next.ts';
import { type RlFault, type RlScoreAnswer, rlScoreRequestSchema } from '../records/score.ts';
import type { RlStatus } from '../records/status.ts';
import { nextStep, type PlayedTask } from './nextStep.ts';
import type { OpenedEnvironment } from './openEnvironment.ts';
import { scoreTrajectory } from './scoreTrajectory.ts';

/** Maximum durations kept. */
const MOST_KEPT = 10_000;

class Latencies {
  readonly #durationsMs: number[] = [];
  #count = 0;

  add(durationMs: number): void {
    this.#durationsMs[this.#count++ % MOST_KEPT] = durationMs;
  }

  get summary(): RlStatus['next'] {
    const sorted = this.#durationsMs.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
    return { answers: sorted.length, p50_ms: at(0.5), p99_ms: at(0.99) };
  }
}

/** Counters of an environment server for its status. */
class ServerCounts {
  readonly #startedAt: string;
  readonly #named = { observations: {}, cached: {}, failures: {}, ends: {}, unscored: {}, refused: {} };
  readonly #next = new Latencies();
  readonly #score = new Latencies();
  #continued = 0;
  #scored = 0;
  #inFlight = 0;

  constructor(startedAt: string) {
    this.#startedAt = startedAt;
  }

  /** Counts a running request; call the result at its end. */
  begin(): () => void {
    this.#inFlight++;
    return () => {
      this.#inFlight--;
    };
  }

  next(answer: RlNextAnswer, durationMs: number): void {
    this.#next.add(durationMs);
    if (answer.kind === 'continue') this.#continued++;
    else if (answer.kind === 'end') this.add('ends', answer.reason);
    else {
      this.add('observations', answer.tool);
      if (answer.cached) this.add('cached', answer.tool);
    }
  }

  score({ unscored }: RlScoreAnswer, durationMs: number): void {
    this.#score.add(durationMs);
    if (unscored) this.add('unscored', unscored.cause);
    else this.#scored++;
  }

  /** Increments the counter of a tool, an end or a cause. */
  add(what: 'observations' | 'cached' | 'failures' | 'ends' | 'unscored' | 'refused', name: string): void {
    const counts: Record<string, number> = this.#named[what];
    counts[name] = (counts[name] ?? 0) + 1;
  }

  get status(): RlStatus {
    return {
      started_at: this.#startedAt,
      in_flight: this.#inFlight,
      ...structuredClone(this.#named),
      continued: this.#continued,
      scored: this.#scored,
      next: this.#next.summary,
      score: this.#score.summary,
    };
  }
}

interface ServeOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Token that clients must send; undefined allows everyone. */
  readonly token: string | undefined;
  /** Aborted to cut off requests in flight. */
  readonly cut: AbortSignal;
}

/** Maximum requests running or waiting for a tool or a judge; further ones get 503 and are retried. */
const MAX_IN_FLIGHT = 2_048;

/** Serves an environment until the session ends. Throws `UserError` if the address is not available. */
export async function serveEnvironment(
  environment: OpenedEnvironment,
  { host, port, token, cut }: ServeOptions,
  { clock, log, resources }: Session,
): Promise<ToolServer> {
  const counts = new ServerCounts(new Date(clock.now()).toISOString());
  const server = await startToolServer(environmentEndpoint(environment, counts), {
    host,
    port,
    portOption: '--port',
    timeoutMs: ANSWER_TIMEOUT_MS,
    concurrency: MAX_IN_FLIGHT,
    // Not logged per request, since loops send thousands per step.
    log: (facts) => {
      if (facts.status >= 500) log(requestLine(facts));
    },
    ...(token !== undefined && { apiKey: token }),
  });
  resources.keep({ close: () => server.close(cut) });
  return server;
}

const segments = 'segments: [{origin: model or environment, text}]';
const nextForm = `{task_id, ${segments}, finish_reason: stop, length or eos}`;
const scoreForm = `{task_id, ${segments}, end_reason, response_tokens, max_response_tokens}`;

/** Stateless HTTP endpoint of `coa-distill serve rl`. */
function environmentEndpoint(environment: OpenedEnvironment, counts: ServerCounts): ToolEndpoint {
  const { clock } = environment;
  const placeOf = (task_id: string): PlayedTask => {
    const task = environment.tasks.get(task_id);
    const profile = task && environment.profileOf(task.profile);
    if (task && profile) return { task, profile };
    const message = `no task has the id ${JSON.stringify(task_id.slice(0, 100))} here; is this the server of another dataset?`;
    throw new Refusal(404, message, {}, { cause: 'unknown_task', retryable: false });
  };
  return {
    name: 'rl',
    path: '/v1/next',
    answer: (body, signal) =>
      counted(counts, async () => {
        const startedAt = clock.monotonicMs();
        const request = parseRequest(rlNextRequestSchema, body, nextForm);
        const place = placeOf(request.task_id);
        const answer = await nextStep(request, place, environment.steps, signal).catch((error) => {
          signal.throwIfAborted();
          throw refusalOfFailure(error, counts);
        });
        counts.next(answer, clock.monotonicMs() - startedAt);
        return answer;
      }),
    others: [
      {
        method: 'POST',
        path: '/v1/score',
        answer: (body, signal) =>
          counted(counts, async () => {
            const startedAt = clock.monotonicMs();
            const request = parseRequest(rlScoreRequestSchema, body, scoreForm);
            const place = placeOf(request.task_id);
            const answer = await scoreTrajectory(request, place, environment.scores, signal);
            counts.score(answer, clock.monotonicMs() - startedAt);
            return answer;
          }),
      },
      {
        method: 'GET',
        path: '/v1/environment',
        answer: async () => environment.description,
      },
      {
        method: 'GET',
        path: '/v1/status',
        answer: async () => counts.status,
      },
    ],
    refuse: (status, message, fault) => {
      const error = { ...faultOf(status), ...fault, message } as RlFault;
      // Failures of services are already counted at their origin.
      if (fault?.counted !== true) counts.add('refused', error.cause);
      const { cause, retryable } = error;
      return { error: { cause, message, retryable } };
    },
  };
}

async function counted<T>(counts: ServerCounts, work: () => Promise<T>): Promise<T> {
  const end = counts.begin();
  try {
    return await work();
  } finally {
    end();
  }
}

/** Causes that are the request's own fault, so that a retry fails too. */
const causesOfRequest: ReadonlySet<FailureCause> = new Set(['inexpressible']);

/** A failed tool gives 503: neither an observation nor the end. */
function refusalOfFailure(error: unknown, counts: ServerCounts): unknown {
  if (error instanceof Refusal) return error;
  const { cause, message, retryable } = failureOf(error);
  if (causesOfRequest.has(cause)) return new Refusal(400, message);
  counts.add('failures', cause);
  const fault = { cause, retryable, counted: true };
  return cause === 'internal' ? error : new Refusal(503, message, retryable ? RETRY_AFTER : {}, fault);
}

/** Fault for a status without further information. */
function faultOf(status: number): Pick<RlFault, 'cause' | 'retryable'> {
  if (status === 401) return { cause: 'unauthorized', retryable: false };
  if (status === 503) return { cause: 'busy', retryable: true };
  if (status === 504 || status === 499) return { cause: 'timeout', retryable: true };
  return status >= 500 ? { cause: 'internal', retryable: true } : { cause: 'bad_request', retryable: false };
}
