import { expect, test } from 'vitest';
import { worstCase } from '../../calls/budget/spendingLog.ts';
import { RunHalted } from '../../contract/errors.ts';
import type { SharedDatabase } from '../../pipeline/workers/database/sharedDatabase.ts';
import { SharedMeter } from '../../pipeline/workers/database/sharedMeter.ts';
import type { SharedTurns } from '../../pipeline/workers/database/sharedTurns.ts';

const attempt = { price: undefined, bodyBytes: 100, messages: 1, maxTokens: 10 };

/** A worker's meter over a database that admits every call; `onQuery` is told how many have ended. */
function meterOf(
  drain: AbortController,
  onQuery: (ended: unknown) => void,
  onUnbilled: ConstructorParameters<typeof SharedMeter>[0]['onUnbilled'] = () => {},
): SharedMeter {
  const query = async (_sql: string, values: readonly unknown[]) => {
    onQuery(values[2]);
    return [{ admitted: (values[7] as number[]).length, is_over: false, total_usd: 0, total_tokens: 0 }];
  };
  return new SharedMeter({
    database: { query } as unknown as SharedDatabase,
    worker: '1',
    caps: { maxCostUsd: undefined, maxTokens: undefined },
    turns: {} as SharedTurns,
    drain: drain.signal,
    onSpent: () => {},
    onUnbilled,
  });
}

test('a call that the database lets through while the run is told to drain is given back: it was never sent', async () => {
  const drain = new AbortController();
  /** How many calls each statement says have ended. */
  const ended: unknown[] = [];
  const meter = meterOf(drain, (count) => {
    ended.push(count);
    drain.abort(new RunHalted('stopped'));
  });
  await expect(meter.admit(attempt, new AbortController().signal)).rejects.toThrow('stopped');
  await meter.close();
  expect(ended).toEqual([0, 1]);
});

test('an attempt that ends without a bill is told with its worst case; others are not', async () => {
  const drain = new AbortController();
  const told: number[] = [];
  const meter = meterOf(
    drain,
    () => {},
    ({ tokens }) => told.push(tokens),
  );
  for (const kind of ['unknown', 'nothing'] as const)
    (await meter.admit(attempt, drain.signal)).end({ kind });
  await meter.close();
  expect(told).toEqual([worstCase(attempt).tokens]);
});
