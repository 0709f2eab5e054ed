import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { trajectoryDedupSchema } from '../../../schemas/config/dedup.ts';
import type { Task } from '../../../schemas/task.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { createQuestionDedupStage } from '../../../stages/dedup/createQuestionDedupStage.ts';
import { createTrajectoryDedupStage } from '../../../stages/dedup/createTrajectoryDedupStage.ts';
import { keptBy, runCorpusStage } from '../../support/runStage.ts';
import { taskOf } from '../../support/traceFixture.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';

const spillFolder = '/nonexistent';

const ask = (question: string, given: Partial<Task> = {}) => taskOf('mhqa', { question, ...given });

test('questions of other profiles stay, and keep lets all through', async () => {
  const question = 'Which river flows through the capital of the country that hosted the first world fair?';
  const tasks = [ask(question), taskOf('web', { question }), ask(question, { given_id: 'again' })];
  expect(await keptBy(createQuestionDedupStage('drop'), tasks)).toEqual(tasks.slice(0, 2));
  expect(await keptBy(createQuestionDedupStage('keep'), tasks)).toEqual(tasks);
});

describe('trajectories', () => {
  const stage = createTrajectoryDedupStage({
    config: trajectoryDedupSchema.parse({}),
    spillFolder,
  });
  const [sample] = fc.sample(trajectoryArbitrary(), { numRuns: 1, seed: 3 });
  const written = (words: string) => ({ tag: 'think', origin: 'model' as const, text: words, event: 'e' });
  const read = (words: string) => ({ ...written(words), tag: 'observation', origin: 'environment' as const });
  const numbered = (count: number, name: string) =>
    Array.from({ length: count }, (_, at) => `${name}${at}`).join(' ');
  const trajectoryOf = (id: string, given: Partial<Trajectory>): Trajectory => ({ ...sample!, id, ...given });
  const judged = (score: 0 | 1): Trajectory['quality'] => {
    const judgement = score === 1 ? 'correct' : 'incorrect';
    const verdict = { subject: 'answer', judge: 'exact_match', judgement, score, evidence: {} } as const;
    return { ...sample!.quality, verdicts: [verdict] };
  };

  test('what the model wrote counts, not what it read', async () => {
    const page = read(numbered(500, 'page'));
    const outcomes = await runCorpusStage(stage, [
      trajectoryOf('a', { segments: [written(numbered(100, 'thought')), page] }),
      trajectoryOf('b', { segments: [written(numbered(100, 'idea')), page] }),
      trajectoryOf('c', { segments: [written(`${numbered(100, 'thought')} end`), read('another page')] }),
    ]);
    expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(['emit', 'emit', 'drop']);
    expect(outcomes[2]!.outcome).toMatchObject({
      reason: 'duplicate_trajectory',
      evidence: { kept_id: 'a', cluster_size: 2 },
    });
  });

  test('the one that was judged best stays, and of other profiles there is another', async () => {
    const segments = [written(numbered(50, 'thought'))];
    const outcomes = await runCorpusStage(stage, [
      trajectoryOf('a', { segments, quality: judged(0) }),
      trajectoryOf('b', { segments, quality: judged(1) }),
      trajectoryOf('c', { segments, profile: 'another', quality: judged(0) }),
    ]);
    expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(['drop', 'emit', 'emit']);
  });

  test('those of other questions stay', async () => {
    const segments = [written(numbered(50, 'thought'))];
    const trajectories = ['Who paints red?', 'Who paints blue?', 'WHO paints red'].map((question, at) =>
      trajectoryOf(`${at}`, { segments, question }),
    );
    const outcomes = await runCorpusStage(stage, trajectories);
    expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(['emit', 'emit', 'drop']);
  });

  test('one outcome for each, whatever comes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(trajectoryArbitrary(), { maxLength: 6 }), async (trajectories) => {
        const outcomes = await runCorpusStage(stage, trajectories);
        expect(outcomes.map(({ index, recordId }) => [index, recordId])).toEqual(
          trajectories.map(({ id }, at) => [at, id]),
        );
        expect(trajectories.length > 0).toBe(outcomes.some(({ outcome }) => outcome.kind === 'emit'));
      }),
      { numRuns: 100 },
    );
  });
});

test('records that can be read only once are an error, not a loss', async () => {
  const once = fc.sample(trajectoryArbitrary(), { numRuns: 1, seed: 3 }).values();
  const stream: AsyncIterable<Trajectory> = {
    async *[Symbol.asyncIterator]() {
      yield* once;
    },
  };
  const stage = createTrajectoryDedupStage({ config: trajectoryDedupSchema.parse({}), spillFolder });
  const outcomes = stage.run(stream, { signal: new AbortController().signal });
  const readAll = async () => {
    for await (const outcome of outcomes) expect(outcome.index).toBe(0);
  };
  await expect(readAll()).rejects.toThrow('1 records were read at first, 0 the second time');
});
