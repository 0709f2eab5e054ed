import { expect, test } from 'vitest';
import { readBody } from '../../../tools/fetch/askForPage.ts';

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
