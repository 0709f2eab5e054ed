import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '../support/cases.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { fakePipeline, fates } from './support/fakeStages.ts';
import { orderedContent, runFake } from './support/runFake.ts';

const plan = fc.array(fc.record({ fate: fc.constantFrom(...fates), turns: fc.nat(6) }), {
  minLength: 6,
  maxLength: 30,
});
const concurrency = fc.integer({ min: 1, max: 8 });

describe('a run that was cut off and goes on', () => {
  test('ends with what an undisturbed run ends with, wherever it was stopped', async () => {
    await fc.assert(
      fc.asyncProperty(
        plan,
        concurrency,
        fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 4 }),
        async (tasks, n, stops) => {
          const [whole, cut] = [temporaryFolder(), temporaryFolder()];
          await runFake(whole, fakePipeline(tasks, n));
          for (const stopAfter of stops) await runFake(cut, fakePipeline(tasks, n), stopAfter);
          expect(await runFake(cut, fakePipeline(tasks, n))).toBe('finished');
          expect(orderedContent(cut)).toEqual(orderedContent(whole));
        },
      ),
      { numRuns: cases(30) },
    );
  });

  test('owes a line that was torn at any byte, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(
        plan,
        fc.constantFrom('records', 'ledger'),
        fc.nat(400),
        async (tasks, file, cutBytes) => {
          const [whole, torn] = [temporaryFolder(), temporaryFolder()];
          await runFake(whole, fakePipeline(tasks, 3));
          await runFake(torn, fakePipeline(tasks, 3), tasks.length + Math.ceil(tasks.length / 2));
          const journal = join(torn, 'rollout', `${file}.jsonl`);
          if (existsSync(journal)) truncateSync(journal, Math.max(0, statSync(journal).size - cutBytes));
          const kept = finishedIds(torn);
          const resumed = fakePipeline(tasks, 3);
          await runFake(torn, resumed);
          expect(orderedContent(torn)).toEqual(orderedContent(whole));
          expect(resumed.asked.filter((id) => kept.has(id))).toEqual([]);
        },
      ),
      { numRuns: cases(30) },
    );
  });

  test('that is complete asks for nothing and changes nothing', async () => {
    const folder = temporaryFolder();
    const tasks = fates.map((fate) => ({ fate, turns: 1 }));
    await runFake(folder, fakePipeline(tasks, 2));
    const before = orderedContent(folder);
    const again = fakePipeline(tasks, 2);
    expect(await runFake(folder, again)).toBe('finished');
    expect(again.asked).toEqual([]);
    expect(orderedContent(folder)).toEqual(before);
  });
});

test('counts add up at each stage, and failures of any kind are data', async () => {
  const folder = temporaryFolder();
  await runFake(
    folder,
    fakePipeline(
      fates.map((fate) => ({ fate, turns: 1 })),
      4,
    ),
  );
  expect(JSON.parse(readFileSync(join(folder, 'rollout/stage.json'), 'utf8'))).toMatchObject({
    complete: true,
    entered: 6,
    emitted_inputs: 3,
    emitted_records: 3,
    dropped: { wrong_answer: 1 },
    failed: { internal: 1, model_refused: 1 },
  });
  expect(JSON.parse(readFileSync(join(folder, 'export/stage.json'), 'utf8'))).toMatchObject({ entered: 3 });
});

test('a line that is damaged in the middle of a journal is named, never skipped', async () => {
  const folder = temporaryFolder();
  const tasks = Array.from({ length: 6 }, () => ({ fate: 'emit', turns: 1 }) as const);
  await runFake(folder, fakePipeline(tasks, 1), 10);
  const journal = join(folder, 'rollout/records.jsonl');
  writeFileSync(journal, readFileSync(journal, 'utf8').replace('{"index":1', '"index":1'));
  await expect(runFake(folder, fakePipeline(tasks, 1))).rejects.toThrow(
    /records\.jsonl:2: the line is damaged/,
  );
});

/** Tasks whose rollout stands whole in a journal. */
function finishedIds(runFolder: string): Set<string> {
  const whole = (file: string) => {
    const path = join(runFolder, 'rollout', file);
    if (!existsSync(path)) return [];
    return readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { task_id: string });
  };
  return new Set([...whole('records.jsonl'), ...whole('ledger.jsonl')].map(({ task_id }) => task_id));
}
