import { describe, expect, test } from 'vitest';
import { createPageReader } from '../../../tools/crawlPage/createPageReader.ts';
import { crawlOne, page } from './support/crawlOne.ts';

describe('other content', () => {
  test.each([
    ['application/json', '{"a": [1, 2]}'],
    ['application/ld+json; charset=utf-8', '{"a": "ä"}'],
    ['text/markdown', '# Title\n\n- item'],
    ['application/rss+xml', '<?xml version="1.0"?>\n<rss><channel><title>News</title></channel></rss>'],
    ['text/csv', 'a,b\n1,2'],
    ['', 'no type'],
  ])('%s is shown as it is', async (type, body) => {
    expect(await crawlOne(page(body, type))).toMatchObject({ ok: true, text: body });
  });

  test.each([
    ['image/png', /content type image\/png is not text/],
    ['application/zip', /content type application\/zip is not text/],
    ['text/plain', /it is not text/],
    ['application/octet-stream', /it is not text/],
  ])('bytes as %s are not', async (type, reason) => {
    const bytes = Buffer.from(Array.from({ length: 600 }, (_, index) => (index * 37) % 256));
    expect(await crawlOne(page(bytes, type))).toMatchObject({
      ok: false,
      reason: expect.stringMatching(reason),
    });
  });
});

const job = (html: string) => ({ kind: 'html', html, url: 'http://a.example/' }) as const;

test('a page that nobody wants any more when its turn comes is not read, and the next one is', async () => {
  const reader = createPageReader(30_000);
  try {
    const stop = new AbortController();
    const reads = Array.from({ length: 20 }, () => reader.read(job('<p>unwanted'), stop.signal));
    const settled = Promise.allSettled(reads);
    stop.abort(new Error('stopped'));
    const unread = (await settled).filter(({ status }) => status === 'rejected');
    expect(unread.length).toBeGreaterThan(10);
    expect(unread[0]).toMatchObject({ reason: { message: 'stopped' } });
    const { signal } = new AbortController();
    expect(await reader.read(job('<p>wanted'), signal)).toMatchObject({ text: 'wanted' });
  } finally {
    reader.close();
  }
});
