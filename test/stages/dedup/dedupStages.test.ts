import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { questionDedupSchema, trajectoryDedupSchema } from '../../../schemas/config/dedup.ts';
import type { Task } from '../../../schemas/task.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { createQuestionDedupStage } from '../../../stages/dedup/createQuestionDedupStage.ts';
import { createTrajectoryDedupStage } from '../../../stages/dedup/createTrajectoryDedupStage.ts';
import { keptBy, runCorpusStage } from '../../support/runStage.ts';
import { taskOf } from '../../support/traceFixture.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';

const spillFolder = '/nonexistent';
const near = { config: questionDedupSchema.parse({}), spillFolder };

describe('questions', () => {
  const ask = (question: string, given: Partial<Task> = {}) => taskOf('mhqa', { question, ...given });
  const question = 'Which river flows through the capital of the country that hosted the first world fair?';

  test.each([
    [
      'How much is ½ of the whole harvest of the valley in tons?',
      'How much is 1⁄2 of the whole harvest of the valley in tons?',
    ],
    [
      'What did King Henry Ⅳ of the whole realm sign in Paris?',
      'What did King Henry IV of the whole realm sign in Paris?',
    ],
    [
      'Who was first in year ２０１２ among all the runners of the city?',
      'who was first in year 2012  among all the runners of the city',
    ],
  ])('equal questions are found with near ones, however their numbers are written: %j', async (a, b) => {
    const outcomes = await runCorpusStage(createQuestionDedupStage('drop', near), [ask(a), ask(b)]);
    const drops = outcomes.flatMap(({ outcome }) => (outcome.kind === 'drop' ? [outcome.reason] : []));
    expect(drops).toEqual(['duplicate_question']);
  });

  test('nearly equal ones are dropped, and evidence says for which and how like it', async () => {
    const tasks = [ask(question), ask(question.replace('Which', 'What')), ask(question.toUpperCase())];
    const outcomes = await runCorpusStage(createQuestionDedupStage('drop', near), tasks);
    const kept = tasks.toSorted((a, b) => (a.id < b.id ? -1 : 1))[0]!;
    const reasonOf = (task: Task) =>
      task.question.startsWith('What') === kept.question.startsWith('What')
        ? 'duplicate_question'
        : 'near_duplicate_question';
    for (const [at, task] of tasks.entries()) {
      const { outcome } = outcomes[at]!;
      if (task === kept) expect(outcome).toEqual({ kind: 'emit', records: [task] });
      else {
        expect(outcome).toMatchObject({
          kind: 'drop',
          reason: reasonOf(task),
          evidence: { kept_id: kept.id, cluster_size: 3 },
        });
      }
    }
    const similarities = outcomes.flatMap(({ outcome }) =>
      outcome.kind === 'drop' ? [outcome.evidence.jaccard as number] : [],
    );
    expect(similarities.every((similarity) => similarity > 0.8 && similarity <= 1)).toBe(true);
    expect(similarities).toHaveLength(2);
  });

  test.each([
    [
      'What is 17 + 25, and what is the sum of its digits?',
      'What is 17 + 26, and what is the sum of its digits?',
    ],
    ['Who wrote the first book?', 'Who wrote the second book?'],
  ])('%j and %j are two', async (a, b) => {
    expect(await keptOf([ask(a), ask(b)])).toHaveLength(2);
  });

  test('other numbers are no reason where the configuration says so', async () => {
    const [a, b] = ['17 + 25', '17 + 26'].map((sum) =>
      ask(`What is the sum of the digits of ${sum}, and which of them is the largest?`),
    );
    expect(await keptOf([a!, b!])).toHaveLength(2);
    expect(await keptOf([a!, b!], { ...near, config: { ...near.config, same_numbers: false } })).toHaveLength(
      1,
    );
  });

  test('those of other profiles stay', async () => {
    expect(await keptOf([ask(question), taskOf('web', { question })])).toHaveLength(2);
  });

  test('keep lets all through', async () => {
    const tasks = [ask(question), ask(question, { given_id: 'again' })];
    expect(await keptBy(createQuestionDedupStage('keep', near), tasks)).toEqual(tasks);
  });

  function keptOf(tasks: readonly Task[], settings = near): Promise<Task[]> {
    return keptBy(createQuestionDedupStage('drop', settings), tasks);
  }
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
  const once = [taskOf('mhqa', { question: 'Who?' })].values();
  const stream: AsyncIterable<Task> = {
    async *[Symbol.asyncIterator]() {
      yield* once;
    },
  };
  const outcomes = createQuestionDedupStage('drop', near).run(stream, {
    signal: new AbortController().signal,
  });
  const readAll = async () => {
    for await (const outcome of outcomes) expect(outcome.index).toBe(0);
  };
  await expect(readAll()).rejects.toThrow('1 records were read at first, 0 the second time');
});
