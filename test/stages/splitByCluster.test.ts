import { expect, test } from 'vitest';
import { createDatasetWriter } from '../../output/dataset/createDatasetWriter.ts';
import { splitOf } from '../../output/dataset/datasetCounts.ts';
import type { Split } from '../../schemas/manifest.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { createExportStage } from '../../stages/createExportStage.ts';
import { writerOptions } from '../output/support/writeDataset.ts';
import { runCorpusStage } from '../support/runStage.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { mhqaSteps, taskOf, trajectoryFrom } from '../support/traceFixture.ts';

/** Places of questions; all questions of a place ask the same in other cases or marks. */
const places = [
  'Lisbon',
  'Reykjavik',
  'Montevideo',
  'Ulaanbaatar',
  'Windhoek',
  'Tashkent',
  'Asmara',
  'Vientiane',
];
const spellings: readonly ((question: string) => string)[] = [
  (question) => question,
  (question) => question.toUpperCase(),
  (question) => question.replace('?', ' ?'),
  (question) => `Question: “${question}”`,
];
const questionOf = (family: number) =>
  `In which year did the council of ${places[family]} decide to move the old ${places[family]} observatory to the ${family}. hill outside of the town?`;

async function splitsOf(trajectories: readonly Trajectory[], share: number): Promise<(Split | undefined)[]> {
  const dataset = { validation_share: share, formats: ['hugging_face'] };
  const options = writerOptions(`${temporaryFolder()}/dataset`, { dataset });
  const stage = createExportStage({
    openWriter: () => createDatasetWriter(options),
    hasSplits: true,
  });
  const outcomes = await runCorpusStage(stage, trajectories);
  return outcomes.map(({ outcome }) => (outcome.kind === 'emit' ? outcome.records[0]?.split : undefined));
}

test('no question is on both sides of a split, in whatever spelling, profile and order', async () => {
  const tasks = places.flatMap((_, family) =>
    spellings.map((spell, nth) =>
      taskOf(nth === 1 ? 'mhqa_double_check' : 'mhqa', {
        question: spell(questionOf(family)),
        answers: [`a${nth}`],
      }),
    ),
  );
  const trajectories = tasks.map((task) => trajectoryFrom({ ...task, profile: 'mhqa' }, mhqaSteps(['who'])));
  const splits = await splitsOf(trajectories, 0.5);
  expect((await splitsOf(trajectories.toReversed(), 0.5)).toReversed()).toEqual(splits);
  for (const [family] of places.entries()) {
    const own = splits.slice(family * spellings.length, (family + 1) * spellings.length);
    expect(own[0]).toBeDefined();
    expect(new Set(own).size).toBe(1);
    const ids = trajectories
      .slice(family * spellings.length)
      .slice(0, spellings.length)
      .map(({ task_id }) => task_id);
    expect(own[0]).toBe(splitOf(ids.sort()[0]!, 0.5));
  }
  expect(new Set(splits).size).toBe(2);
});

test('tasks without duplicates are on the side that their own ids say', async () => {
  const trajectories = places.map((place) =>
    trajectoryFrom(taskOf('mhqa', { question: `Who founded ${place}?` }), mhqaSteps(['who'])),
  );
  const splits = await splitsOf(trajectories, 0.5);
  expect(splits).toEqual(trajectories.map(({ task_id }) => splitOf(task_id, 0.5)));
});
