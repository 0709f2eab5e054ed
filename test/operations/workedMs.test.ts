import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { workedMs } from '../../operations/report/gatherReport.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

/** What the events of a run say, each a minute of the day. */
async function worked(
  events: readonly (readonly ['run_started' | 'run_ended', number])[],
): Promise<number | null> {
  const folder = temporaryFolder();
  const lines = events.map(([event, minute]) => ({ event, at: new Date(minute * 60_000).toISOString() }));
  writeFileSync(join(folder, 'events.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return workedMs(folder);
}

test('a clock that is set back takes nothing from what a run worked', async () => {
  expect(
    await worked([
      ['run_started', 1],
      ['run_ended', 3],
      ['run_started', 9],
      ['run_ended', 4],
    ]),
  ).toBe(120_000);
  expect(
    await worked([
      ['run_started', 9],
      ['run_ended', 4],
    ]),
  ).toBe(0);
  expect(await worked([['run_started', 9]])).toBe(null);
});
