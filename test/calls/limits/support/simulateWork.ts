import type { PoolMember } from '../../../../calls/limits/createEndpointPools.ts';
import type { EndpointPool } from '../../../../contract/endpointPool.ts';
import { retryWaitMs } from '../../../../contract/retryPolicy.ts';
import type { SimulatedEndpoint } from './simulatedEndpoint.ts';
import type { VirtualTime } from './virtualTime.ts';

/** A member of a pool with the defaults of the configuration. */
export function poolMember(settings: Partial<PoolMember> = {}): PoolMember {
  return {
    baseUrl: 'http://endpoint.example/v1',
    apiKey: undefined,
    weight: 1,
    fallback: false,
    concurrency: 16,
    requestsPerMinute: undefined,
    tokensPerMinute: undefined,
    probes: 6,
    ...settings,
  };
}

/** Work for a pool. */
export interface SimulatedWork {
  readonly time: VirtualTime;
  readonly pool: EndpointPool;
  readonly endpoint: SimulatedEndpoint;
  /** Requests that want to be in flight at all times. */
  readonly workers: number;
  readonly untilMs: number;
}

/** Asks as the model client does, retries included, until the time has come. Returns the requests that were answered. */
export async function simulateWork(work: SimulatedWork): Promise<number> {
  const { time, untilMs, workers } = work;
  let answered = 0;
  const worker = async (name: number) => {
    for (let n = 0; time.now() < untilMs; n++) {
      await askUntilAnswered(work, `${name}:${n}`);
      answered += 1;
    }
  };
  await time.passUntilDone(Promise.all(Array.from({ length: workers }, (_, name) => worker(name))));
  return answered;
}

async function askUntilAnswered({ time, pool, endpoint }: SimulatedWork, requestHash: string): Promise<void> {
  const signal = new AbortController().signal;
  for (let attempt = 0; ; attempt++) {
    const lease = await pool.acquire({ attempt, tokens: 100 }, signal);
    const verdict = await endpoint.serve();
    lease.settle(verdict);
    if (verdict.kind === 'answered') return;
    await time.sleep(retryWaitMs({ attempt: Math.min(attempt, 6), requestHash, retryAfterMs: undefined }));
  }
}
