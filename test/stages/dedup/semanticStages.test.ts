import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EmbeddingModel } from '../../../contract/textModels.ts';
import { questionDedupSchema } from '../../../schemas/config/dedup.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { createSemanticQuestionStage } from '../../../stages/dedup/createQuestionDedupStage.ts';
import { createSemanticTrajectoryStage } from '../../../stages/dedup/createTrajectoryDedupStage.ts';
import { embeddingOf } from '../../support/embeddingOf.ts';
import { keptBy, runCorpusStage, streamOf } from '../../support/runStage.ts';
import { taskOf } from '../../support/traceFixture.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';

function settingsOf(given: object = {}, embed?: EmbeddingModel['embed']) {
  const asked: (readonly string[])[] = [];
  const model: EmbeddingModel = {
    embed: async (texts, signal) => {
      asked.push(texts);
      return embed ? embed(texts, signal) : texts.map(embeddingOf);
    },
  };
  const config = questionDedupSchema.parse({ semantic: { model: { model: 'm' }, batch_size: 2, ...given } })
    .semantic!;
  return { asked, settings: { config, openModel: async () => model, spillFolder: '/nonexistent' } };
}

const questions = [
  'Which river flows past town 1 in spring?',
  'What stream runs by village 1 in spring?',
  'Which river flows past town 2 in spring?',
  'Who painted the ceiling of the old chapel?',
  'In spring, which river runs past town 1?',
];
const tasks = questions.map((question) => taskOf('mhqa', { question }));

test('of questions of one meaning the least id stays, whatever the order', async () => {
  const same = [tasks[0]!, tasks[1]!, tasks[4]!].map(({ id }) => id).sort();
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(tasks, { minLength: tasks.length }),
      fc.integer({ min: 1, max: 9 }),
      async (shuffled, batch_size) => {
        const { settings, asked } = settingsOf({ batch_size });
        const outcomes = await runCorpusStage(createSemanticQuestionStage(settings, true), shuffled);
        expect(outcomes.map(({ index, recordId }) => [index, recordId])).toEqual(
          shuffled.map(({ id }, at) => [at, id]),
        );
        for (const { outcome, recordId } of outcomes) {
          if (!same.slice(1).includes(recordId)) expect(outcome.kind).toBe('emit');
          else
            expect(outcome).toEqual({
              kind: 'drop',
              reason: 'near_duplicate_question',
              evidence: { kept_id: same[0], cosine: 1, cluster_size: 3 },
            });
        }
        expect(asked.flat()).toEqual(shuffled.map(({ question }) => question));
        expect(asked.every((texts) => texts.length <= batch_size)).toBe(true);
      },
    ),
    { numRuns: 20 },
  );
});

test('other numbers, other profiles and texts that are too long are other questions', async () => {
  const long = `${questions[0]} ${' '.repeat(100)}`;
  const given = [
    tasks[0]!,
    tasks[2]!,
    taskOf('web', { question: questions[1]! }),
    taskOf('mhqa', { question: long }),
  ];
  const keptOf = async (sameNumbers: boolean, more: object) =>
    (await keptBy(createSemanticQuestionStage(settingsOf(more).settings, sameNumbers), given)).length;
  expect(await keptOf(true, { max_chars: 100 })).toBe(4);
  expect(await keptOf(true, {})).toBe(3);
  expect(await keptOf(false, { min_cosine: 0.7, max_chars: 100 })).toBe(3);
});

test('nothing to compare opens no model', async () => {
  const { settings } = settingsOf({ max_chars: 5 });
  const openModel = () => Promise.reject(new Error('opened'));
  const stage = createSemanticQuestionStage({ ...settings, openModel }, true);
  expect(await runCorpusStage(stage, tasks)).toHaveLength(tasks.length);
  expect(await runCorpusStage(stage, [])).toEqual([]);
});

test('without embeddings no record gets an outcome', async () => {
  let calls = 0;
  const { settings } = settingsOf({}, async (texts) => {
    if (++calls === 2) throw new Error('the endpoint is down');
    return texts.map(embeddingOf);
  });
  const seen: unknown[] = [];
  const stage = createSemanticQuestionStage(settings, true);
  const run = async () => {
    for await (const outcome of stage.run(streamOf(tasks), { signal: new AbortController().signal }))
      seen.push(outcome);
  };
  await expect(run()).rejects.toThrow('the endpoint is down');
  expect(seen).toEqual([]);
});

test('of trajectories of one meaning the one that was judged best stays', async () => {
  const [sample] = fc.sample(trajectoryArbitrary(), { numRuns: 1, seed: 3 });
  const written = (text: string) => [{ tag: 'think', origin: 'model' as const, text, event: 'e' }];
  const judged = (score: 0 | 1): Trajectory['quality'] => {
    const judgement = score === 1 ? 'correct' : 'incorrect';
    const verdict = { subject: 'answer', judge: 'exact_match', judgement, score, evidence: {} } as const;
    return { ...sample!.quality, verdicts: [verdict] };
  };
  const { settings } = settingsOf();
  const outcomes = await runCorpusStage(createSemanticTrajectoryStage(settings), [
    { ...sample!, id: 'a', segments: written(questions[0]!), quality: judged(0) },
    { ...sample!, id: 'b', segments: written(questions[1]!), quality: judged(1) },
  ]);
  expect(outcomes.map(({ outcome }) => outcome)).toMatchObject([
    { kind: 'drop', reason: 'duplicate_trajectory', evidence: { kept_id: 'b', cluster_size: 2 } },
    { kind: 'emit' },
  ]);
});
