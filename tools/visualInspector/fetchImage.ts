import type { Dispatcher } from 'undici';
import { RecordFailure } from '../../contract/errors.ts';
import { type FetchLimits, fetchPage } from '../fetch/fetchPage.ts';
import { type FoundBytes, notFound, tooManyBytes } from './checkImage.ts';

/** How images of the web are fetched. */
export interface ImageWeb {
  readonly dispatcher: Dispatcher;
  readonly limits: FetchLimits;
  /** Hosts whose pages a server of our own has: when it fails, the agent is not to blame. */
  readonly ownHosts: ReadonlySet<string>;
}

/**
 * Fetches an image. Why one can't be had is for the agent to know; only a server of our own that fails is thrown.
 *
 * @throws RecordFailure (`tool_unavailable`)
 */
export async function fetchImage(
  { dispatcher, limits, ownHosts }: ImageWeb,
  address: string,
  signal: AbortSignal,
): Promise<FoundBytes> {
  const url = URL.parse(address);
  if (!url) return notFound('it is no valid web address');
  if (url.username !== '' || url.password !== '') {
    return notFound('a web address must not hold a user or password');
  }
  const page = await fetchPage(url.href, limits, dispatcher, signal);
  if (page.kind === 'page') {
    return page.cut ? tooManyBytes(limits.maxBytes) : { ok: true, bytes: Buffer.from(page.bytes) };
  }
  const { host } = page.url;
  if (!page.service || !ownHosts.has(host)) return notFound(page.reason);
  throw new RecordFailure(
    'tool_unavailable',
    `visual_inspector: the server of ${host} failed: ${page.reason}`,
    { tool: 'visual_inspector', host, reason: page.reason },
  );
}
