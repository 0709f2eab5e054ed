import { expect, test } from 'vitest';
import { createBatches } from '../../base/batches.ts';

const AN_HOUR_MS = 3_600_000;
const aTurn = () => new Promise(setImmediate);

function recorded(most: number, everyMs?: number) {
  const batches: (readonly number[])[] = [];
  const send = async (items: readonly number[]) => {
    batches.push(items);
    return items.map((item) => 10 * item);
  };
  return { batches, call: createBatches(send, most, everyMs) };
}

test('items that come together share a batch, and each gets its own result', async () => {
  const { batches, call } = recorded(2);
  expect(await Promise.all([1, 2, 3].map(call))).toEqual([10, 20, 30]);
  expect(batches).toEqual([[1, 2], [3]]);
});

test('the first batch does not wait, a full one neither, and what is left waits for its time', async () => {
  const { batches, call } = recorded(2, AN_HOUR_MS);
  const results = [1, 2, 3, 4, 5].map(call);
  expect(await Promise.all(results.slice(0, 4))).toEqual([10, 20, 30, 40]);
  for (let turn = 0; turn < 20; turn++) await aTurn();
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ]);
});
