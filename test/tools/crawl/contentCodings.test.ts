import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readBody } from '../../../tools/fetch/askForPage.ts';
import { crawlOne, page } from './support/crawlOne.ts';

const refusal = (reason: string) => ({ ok: false, reason });

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

  test('that wants a window of more than 8 MB to be unpacked in is refused', async () => {
    const params = (log: number) => ({ params: { [constants.ZSTD_c_windowLog]: log } });
    const read = (log: number) =>
      crawlOne(page(zstdCompressSync(million, params(log)), 'text/plain', { 'content-encoding': 'zstd' }), {
        maxBytes: 5_000,
      });
    expect(await read(23)).toMatchObject({ ok: true });
    expect(await read(24)).toMatchObject(refusal('its content is not zstd, as it says it is'));
  });

  test('packed too often, or not as it says, is refused', async () => {
    const text = Buffer.from('a text');
    const four = [1, 2, 3, 4].reduce((bytes) => gzipSync(bytes), text);
    expect(
      await crawlOne(page(four, 'text/plain', { 'content-encoding': 'gzip,gzip,gzip,gzip' })),
    ).toMatchObject(refusal('its content is encoded too many times'));
    for (const coding of ['gzip', 'br', 'zstd', 'deflate']) {
      expect(await crawlOne(page(text, 'text/plain', { 'content-encoding': coding }))).toMatchObject(
        refusal(`its content is not ${coding}, as it says it is`),
      );
    }
    expect(await crawlOne(page(text, 'text/plain', { 'content-encoding': 'compress' }))).toMatchObject(
      refusal('its content-encoding is "compress"'),
    );
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

test('a body that comes byte by byte takes no more memory than its bytes', async () => {
  const wire = Buffer.from(Array.from({ length: 4096 }, (_, index) => index));
  const pieces = 1_500_000;
  const heapMb = () => process.memoryUsage().heapUsed / 1e6;
  let mostMb = heapMb();
  const before = mostMb;
  async function* bytes() {
    for (let at = 0; at < pieces; at++) {
      if (at % 50_000 === 0) mostMb = Math.max(mostMb, heapMb());
      yield wire.subarray(at % wire.length, (at % wire.length) + 1);
    }
  }
  const read = await readBody(bytes(), '', 5_000_000, new AbortController().signal);
  expect(read.cut).toBe(false);
  expect(read.bytes.length).toBe(pieces);
  expect(Buffer.from(read.bytes).subarray(8192, 12_288).equals(wire)).toBe(true);
  expect(mostMb - before).toBeLessThan(100);
});
