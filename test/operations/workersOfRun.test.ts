import { expect, test } from 'vitest';
import { statusLines } from '../../cli/statusFromCommandLine.ts';
import { readStatus } from '../../operations/report/readStatus.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import { MinuteWatch } from '../../pipeline/workers/runAccounts.ts';
import { earlierWorkers, writeWorkersFile } from '../../pipeline/workers/workersFile.ts';
import { workersView } from '../../schemas/run/workersView.ts';
import { VirtualTime } from '../calls/limits/support/virtualTime.ts';
import { sampleWorker, sampleWorkers } from '../support/sampleWorkers.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { writtenRun } from '../viewer/support/writtenRun.ts';

test('workers of all sessions are shown with their rates, their share of what was spent, and what is left of the caps', () => {
  const view = workersView(sampleWorkers());
  expect(view.workers).toMatchObject([
    {
      name: 'node1:41',
      host: 'node1',
      state: 'working',
      calls: 150,
      calls_a_minute: 70,
      cost_usd: 1.5,
      share: 1.5 / 4,
    },
    { name: 'node2:<b>7</b>', state: 'lost', lost_leases: 1, calls_a_minute: 60, share: 2.5 / 4 },
  ]);
  expect(view.purse).toEqual([{ counts: 'usd', cap: 10, spent: 4, in_hand: 0.5, blocks: 6 }]);
});

test('once a run is over nobody works on it, and who worked is still known to the next session', () => {
  const file = sampleWorkers({ open: false });
  expect(workersView(file).workers[0]).toMatchObject({ state: 'left', tasks_in_hand: 0, calls_a_minute: 75 });
  expect(earlierWorkers(file)).toHaveLength(3);
  // One that was cut off: the database still has them.
  expect(earlierWorkers(sampleWorkers())).toEqual(file.earlier);
  expect(earlierWorkers(null)).toEqual([]);
});

test('without a price the share is one of the tokens, and of nothing there is none', () => {
  const worker = (tokens: number) => sampleWorker(`n:${tokens}`, { cost_usd: 0, tokens });
  const shares = (...tokens: number[]) =>
    workersView(sampleWorkers({ workers: tokens.map(worker), earlier: [] })).workers.map(
      ({ share }) => share,
    );
  expect(shares(100, 300)).toEqual([0.25, 0.75]);
  expect(shares(0)).toEqual([0]);
});

test('status names who works first, the limits and the budget, and nothing of it can write to the screen', async () => {
  const { folder } = writtenRun(temporaryFolder());
  const workers = [
    sampleWorker('gone\u001b[2J:1', { state: 'left' }),
    ...Array.from({ length: 50 }, (_, n) => sampleWorker(`node${n}:1`)),
  ];
  await writeWorkersFile(folder, sampleWorkers({ workers, earlier: [] }));
  const lines = statusLines(await readStatus(folder, (await readRunFile(folder))!));
  const from = lines.findIndex((line) => line.startsWith('workers:'));
  expect(lines[from]).toBe('workers: 50 working, 1 left · shards: 3 ready, 1 taken, 6 done');
  expect(lines[from + 2]).toMatch(/^node0:1 +working +5 of 8 +24 +3 +0 +120 +70 +30 s +\$1\.00 +2%$/);
  expect(lines.slice(-3)).toEqual([
    'and 11 more',
    'limit of http://e/v1: 150 requests a minute; 140 in the last minute, at most 149 in any',
    'budget: workers spent $51.00 of $10.00 in 102 blocks, $12.75 in hand',
  ]);
  expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test('the most of a minute is that of any 60 seconds, not of the whole run', async () => {
  const time = new VirtualTime();
  const watch = new MinuteWatch(time);
  expect(watch.note('a', 1_000)).toEqual({ last_minute: 0, most_in_minute: 0 });
  const grown = async (afterMs: number, total: number) => {
    await time.passUntilDone(time.sleep(afterMs));
    return watch.note('a', total);
  };
  expect(await grown(30_000, 1_040)).toEqual({ last_minute: 40, most_in_minute: 40 });
  expect(await grown(30_000, 1_090)).toEqual({ last_minute: 90, most_in_minute: 90 });
  expect(await grown(40_000, 1_100)).toEqual({ last_minute: 10, most_in_minute: 90 });
  expect(watch.note('b', 7)).toEqual({ last_minute: 0, most_in_minute: 0 });
});
