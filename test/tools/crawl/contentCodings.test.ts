import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { crawlOne, page } from './support/crawlOne.ts';

describe('a bomb', () => {
  const million = Buffer.alloc(50_000_000, 'x');
  const codings: [string, Buffer][] = [
    ['gzip', gzipSync(million)],
    ['x-gzip', gzipSync(million)],
    ['deflate', deflateSync(million)],
    ['deflate', deflateRawSync(million)],
    ['br', brotliCompressSync(million)],
    ['zstd', zstdCompressSync(million)],
    ['gzip, gzip', gzipSync(gzipSync(million))],
    ['br, gzip', gzipSync(brotliCompressSync(million))],
  ];

  test.each(codings)('in %s is unpacked to the limit', async (coding, bytes) => {
    const answer = await crawlOne(page(bytes, 'text/plain', { 'content-encoding': coding }), {
      maxBytes: 5_000,
    });
    expect(answer).toMatchObject({
      ok: true,
      cut: true,
      text: expect.stringMatching(/^x{5000}\n\[The page/),
    });
  });

  test('that is not packed as it says is refused', async () => {
    for (const coding of ['gzip', 'br', 'zstd', 'deflate']) {
      expect(
        await crawlOne(page(Buffer.from('a text'), 'text/plain', { 'content-encoding': coding })),
      ).toMatchObject({ ok: false, reason: 'its content is not encoded as it says it is' });
    }
  });

  test('that is packed but no bomb is shown', async () => {
    for (const [coding, pack] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['br', brotliCompressSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      const body = pack(Buffer.from('a text'));
      expect(await crawlOne(page(body, 'text/plain', { 'content-encoding': coding }))).toMatchObject({
        ok: true,
        text: 'a text',
      });
    }
    const twice = brotliCompressSync(gzipSync(Buffer.from('a text')));
    expect(await crawlOne(page(twice, 'text/plain', { 'content-encoding': 'gzip, br' }))).toMatchObject({
      text: 'a text',
    });
  });
});
