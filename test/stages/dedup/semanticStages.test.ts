import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EmbeddingModel } from '../../../contract/textModels.ts';
import { trajectoryDedupSchema } from '../../../schemas/config/dedup.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { createSemanticTrajectoryStage } from '../../../stages/dedup/createTrajectoryDedupStage.ts';
import { embeddingOf } from '../../support/embeddingOf.ts';
import { keptBy, runCorpusStage, streamOf } from '../../support/runStage.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';

function settingsOf(given: object = {}, embed?: EmbeddingModel['embed']) {
  const asked: (readonly string[])[] = [];
  const model: EmbeddingModel = {
    embed: async (texts, signal) => {
      asked.push(texts);
      return embed ? embed(texts, signal) : texts.map(embeddingOf);
    },
  };
  const config = trajectoryDedupSchema.parse({ semantic: { model: { model: 'm' }, batch_size: 2, ...given } })
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
const [sample] = fc.sample(trajectoryArbitrary(), { numRuns: 1, seed: 3 });
const trajectoryOf = (question: string, given: Partial<Trajectory> = {}): Trajectory => ({
  ...sample!,
  id: question,
  question,
  profile: 'mhqa',
  answers: [],
  segments: [],
  ...given,
});
const trajectories = questions.map((question) => trajectoryOf(question));

test('of one meaning the least id stays, whatever the order', async () => {
  const same = [0, 1, 4].map((at) => questions[at]!).sort();
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(trajectories, { minLength: trajectories.length }),
      fc.integer({ min: 1, max: 9 }),
      async (shuffled, batch_size) => {
        const { settings, asked } = settingsOf({ batch_size });
        const outcomes = await runCorpusStage(createSemanticTrajectoryStage(settings), shuffled);
        expect(outcomes.map(({ index, recordId }) => [index, recordId])).toEqual(
          shuffled.map(({ id }, at) => [at, id]),
        );
        for (const { outcome, recordId } of outcomes) {
          if (!same.slice(1).includes(recordId)) expect(outcome.kind).toBe('emit');
          else
            expect(outcome).toEqual({
              kind: 'drop',
              reason: 'duplicate_trajectory',
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

test('other answers, other profiles and texts that are too long are not compared', async () => {
  const long = `${questions[0]} ${' '.repeat(100)}`;
  const given = [
    trajectoryOf(questions[0]!, { answers: ['Elbe'] }),
    trajectoryOf(questions[1]!, { answers: ['Rhine'] }),
    trajectoryOf(questions[1]!, { id: 'web', profile: 'web' }),
    trajectoryOf(long),
  ];
  const keptOf = async (more: object) =>
    (await keptBy(createSemanticTrajectoryStage(settingsOf(more).settings), given)).length;
  expect(await keptOf({ max_chars: 100 })).toBe(4);
  expect(await keptOf({})).toBe(3);
});

test('nothing to compare opens no model', async () => {
  const { settings } = settingsOf({ max_chars: 5 });
  const openModel = () => Promise.reject(new Error('opened'));
  const stage = createSemanticTrajectoryStage({ ...settings, openModel });
  expect(await runCorpusStage(stage, trajectories)).toHaveLength(trajectories.length);
  expect(await runCorpusStage(stage, [])).toEqual([]);
});

test('without embeddings no record gets an outcome', async () => {
  let calls = 0;
  const { settings } = settingsOf({}, async (texts) => {
    if (++calls === 2) throw new Error('the endpoint is down');
    return texts.map(embeddingOf);
  });
  const seen: unknown[] = [];
  const stage = createSemanticTrajectoryStage(settings);
  const run = async () => {
    for await (const outcome of stage.run(streamOf(trajectories), { signal: new AbortController().signal }))
      seen.push(outcome);
  };
  await expect(run()).rejects.toThrow('the endpoint is down');
  expect(seen).toEqual([]);
});

test('of trajectories of one meaning the one that was judged best stays', async () => {
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
