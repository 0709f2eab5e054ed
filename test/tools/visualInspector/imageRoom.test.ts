import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ImageRoom } from '../../../tools/visualInspector/imageRoom.ts';

const never = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('never more than there is room for, nobody is left out, and all of it comes back', async () => {
  const image = fc.record({
    taken: fc.integer({ min: 1, max: 100 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(image, { minLength: 1, maxLength: 40 }),
      fc.array(fc.nat(9)),
      async (images, waits) => {
        const room = new ImageRoom(100);
        let held = 0;
        let most = 0;
        await Promise.all(
          images.map(async ({ taken, share }, place) => {
            const own = await room.take(taken, never);
            held += taken;
            most = Math.max(most, held);
            for (let wait = waits[place] ?? 0; wait > 0; wait--) await null;
            const left = Math.floor(taken * share);
            held -= taken - left;
            own.shrinkTo(left);
            await null;
            held -= left;
            own.release();
          }),
        );
        expect(most).toBeLessThanOrEqual(100);
        expect(held).toBe(0);
        (await room.take(100, never)).release();
      },
    ),
  );
});

test('one that waits goes with its signal, and those behind it come in', async () => {
  const room = new ImageRoom(10);
  const first = await room.take(6, never);
  const given = new AbortController();
  const second = room.take(10, given.signal);
  const third = room.take(4, never);
  await settled();
  given.abort(new Error('given up'));
  await expect(second).rejects.toThrow('given up');
  (await third).release();
  first.release();
  (await room.take(10, never)).release();
  await expect(room.take(1, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
});
