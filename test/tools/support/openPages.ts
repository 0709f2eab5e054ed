import { systemClock } from '../../../base/systemClock.ts';
import {
  createPageService,
  type PageService,
  type PageServiceOptions,
} from '../../../tools/crawlPage/createPageService.ts';
import type { Resolve } from '../../../tools/fetch/createGuardedDispatcher.ts';
import { closesWithTest } from '../../support/closesWithTest.ts';

/** Names are looked up on this machine alone. */
const localNames: Resolve = async (host) => {
  if (host !== 'localhost') throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  return [{ address: '127.0.0.1', family: 4 }];
};

/** What a test may set, the fetch's limits among the others. */
export type PageLimits = Partial<PageServiceOptions & PageServiceOptions['fetch']>;

/** A service that reads pages until the test ends, with the defaults of a configuration where the test says nothing else. */
export function openPages({ timeoutMs, maxBytes, maxRetries, ...options }: PageLimits): PageService {
  const pages = createPageService({
    fetch: {
      timeoutMs: timeoutMs ?? 30_000,
      maxBytes: maxBytes ?? 5_000_000,
      maxRetries: maxRetries ?? 2,
    },
    maxChars: 8_000,
    maxTokens: 80_000,
    openCounter: () => Promise.reject(new Error('no text of this test has so many bytes')),
    hostOverrides: new Map(),
    allowedHosts: [],
    turns: { perHost: 2, intervalMs: 0, total: 32 },
    robots: 'obey',
    userAgent: 'coa-distill',
    clock: systemClock,
    resolve: localNames,
    ...options,
  });
  return closesWithTest(pages);
}
