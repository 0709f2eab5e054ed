import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normaliseQuestion, questionKey } from '../../schemas/question.ts';
import { createQuestionDedupStage } from '../../stages/dedup/createQuestionDedupStage.ts';
import { cases } from '../support/cases.ts';
import { runCorpusStage } from '../support/runStage.ts';
import { shuffledPairs } from '../support/shuffledPairs.ts';
import { taskOf } from '../support/traceFixture.ts';

describe('what makes no other question', () => {
  test.each([
    ['Who was she?', 'who  was\nshe'],
    ['“Who?”', 'Who'],
    ['ﬁrst', 'FIRST'],
    ['Straße', 'STRASSE'],
    ['ΟΔΟΣ', 'οδος'],
    ['１２', '12'],
  ])('%j is %j', (a, b) => {
    expect(normaliseQuestion(a)).toBe(normaliseQuestion(b));
  });

  test.each([
    ['Is 2 + 2 = 4?', 'Is 2 + 2 = 5?'],
    ['C++?', 'C?'],
    ['x.y', 'xy'],
    ['?', '!'],
  ])('%j is not %j', (a, b) => {
    expect(normaliseQuestion(a)).not.toBe(normaliseQuestion(b));
  });
});

test.each(['NFC', 'NFD', 'NFKC', 'NFKD'])('a question in %s is the question itself', (form) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
      expect(normaliseQuestion(text.normalize(form))).toBe(normaliseQuestion(text));
    }),
    { numRuns: cases(2_000) },
  );
});

const spelling = fc.constantFrom('Who?', 'who', ' WHO ?', 'Why?', 'why', 'When.', 'when', 'How');
const corpus = fc.array(fc.record({ question: spelling, profile: fc.constantFrom('web', 'mhqa') }), {
  maxLength: 12,
});
const tasksOf = (rows: readonly { question: string; profile: string }[]) =>
  rows.map(({ question, profile }, at) => taskOf(profile, { question, given_id: `${at}` }));

test('the same questions survive in any order, each once, and the first of each in input order', async () => {
  await fc.assert(
    fc.asyncProperty(shuffledPairs(corpus), async ([rows, shuffled]) => {
      const kept = await keptKeys(rows);
      expect(new Set(kept)).toEqual(new Set(await keptKeys(shuffled)));
      expect(kept).toEqual([...new Set(rows.map((row) => questionKey(row.profile, row.question)))]);
    }),
  );
});

async function keptKeys(rows: readonly { question: string; profile: string }[]): Promise<string[]> {
  const outcomes = await runCorpusStage(createQuestionDedupStage('drop'), tasksOf(rows));
  expect(outcomes.map((outcome) => outcome.index)).toEqual(rows.map((_, at) => at));
  return outcomes
    .flatMap(({ outcome }) => (outcome.kind === 'emit' ? outcome.records : []))
    .map((task) => questionKey(task.profile, task.question));
}

test('evidence names the first task', async () => {
  const tasks = tasksOf([
    { question: 'Who?', profile: 'mhqa' },
    { question: 'who', profile: 'web' },
    { question: 'WHO', profile: 'mhqa' },
  ]);
  const outcomes = await runCorpusStage(createQuestionDedupStage('drop'), tasks);
  expect(outcomes.map(({ outcome }) => outcome.kind)).toEqual(['emit', 'emit', 'drop']);
  expect(outcomes[2]).toEqual({
    index: 2,
    recordId: tasks[2]!.id,
    taskId: tasks[2]!.id,
    outcome: { kind: 'drop', reason: 'duplicate_question', evidence: { first_task: tasks[0]!.id } },
  });
});
