import type { RequestListener } from 'node:http';
import { createServiceCaller } from '../../../../calls/limits/createServiceCaller.ts';
import {
  createSearchService,
  type SearchServiceOptions,
} from '../../../../tools/webSearch/createSearchService.ts';
import { stillClock } from '../../../teachers/support/clocks.ts';
import { startHttpServer } from '../../support/startHttpServer.ts';

/** A key as services give them out. */
export const KEY = 'sk-key-of-the-test-1';

/** A provider's service in front of a server of the test's own, which ends with the test. Waits take no time. */
export async function openSearch(
  listener: RequestListener,
  {
    provider = 'serper',
    timeoutMs = 20_000,
    maxRetries = 0,
  }: Partial<Pick<SearchServiceOptions, 'provider' | 'timeoutMs'>> & { readonly maxRetries?: number } = {},
) {
  const server = await startHttpServer(listener);
  const clock = stillClock();
  const { baseUrl } = server;
  const call = createServiceCaller({
    baseUrl,
    apiKey: KEY,
    concurrency: 8,
    requestsPerMinute: undefined,
    maxRetries,
    clock,
  });
  const service = createSearchService({ provider, baseUrl, apiKey: KEY, timeoutMs, call });
  return { server, clock, service };
}
