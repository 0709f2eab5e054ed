import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { UserError } from '../../../base/userError.ts';
import { type BenchmarkConfig, benchmarkConfigSchema } from '../../../schemas/config/decontaminate.ts';
import { cipherOf, decryptCell } from '../../../schemas/decryptCell.ts';
import { readBenchmark } from '../../../stages/dedup/createDecontaminateStage.ts';
import { jsonLines } from '../../cli/support/project.ts';
import { encrypt, taskExamples } from '../../support/taskExamples.ts';
import { temporaryFile, temporaryFolder } from '../../support/temporaryFolder.ts';
import { testDataPath } from '../../support/testData.ts';

async function read(given: Partial<BenchmarkConfig> & { path: string }) {
  const questions = [];
  for await (const found of readBenchmark(benchmarkConfigSchema.parse(given))) questions.push(found);
  return questions;
}

const jsonLine = (row: JsonObject) => temporaryFile('some.jsonl', jsonLines([row]));

const asked = 'Who asked first?';
const canary = 'browsecomp:26b5c67b';

/** Rows in layouts that a benchmark has beside the one of `test/fixtures/taskPresets.jsonl`. */
const rows = {
  browsecomp: [
    { Topic: 'Art', Question: encrypt(asked, canary), Answer: encrypt('x', canary), canary },
    { query_id: '1', query: encrypt(asked, canary), answer: encrypt('x', canary), canary },
  ],
  xbench: [
    { id: '1', type: 'x', subject: 'x', prompt: encrypt(asked, canary, 'text'), answer: 'Gw==', canary },
  ],
  webwalkerqa: [
    { Question: asked, Answer: 'x', Root_Url: 'https://example.org', Info: { Hop: 'single_source' } },
  ],
  aime: [
    { id: 60, problem: asked, solution: 'x', answer: '7', url: '', year: '2024' },
    { id: '0', problem: asked, answer: '7' },
    { question: asked, answer: '7' },
  ],
  nq: [
    { question: asked, answer: ['x'] },
    { id: 'a', question: { text: asked, tokens: ['x'] }, document: {}, annotations: {} },
    { question_text: asked, annotations: [] },
  ],
  triviaqa: [{ Question: asked, QuestionId: 'a', QuestionSource: 'x', Answer: {} }],
  mbpp: [{ task_id: 1, prompt: asked, code: '', test_imports: [], test_list: ['x'] }],
} as const satisfies Partial<Record<NonNullable<BenchmarkConfig['preset']>, readonly JsonObject[]>>;
const layouts = Object.entries(rows).flatMap(([preset, of]) =>
  of.map((row) => [preset as keyof typeof rows, row] as const),
);

/** Presets of which rows have the columns of others. */
const named = ['dapo_math', 'retool'];

describe('presets', () => {
  test.each(taskExamples)('$preset as it is published', async ({ preset, row, task }) => {
    const [found] = await read({ path: jsonLine(row), preset: preset as 'gaia' });
    const asJson = JSON.stringify(found!.question).slice(1, -1);
    expect(JSON.stringify(task.question ?? row)).toContain(asJson);
    // Its columns tell it apart from the others.
    if (!named.includes(preset))
      expect(await read({ path: jsonLine(row) })).toMatchObject([{ question: found!.question }]);
  });

  test.each(layouts)('%s: %j', async (preset, row) => {
    const file = jsonLine(row);
    const place = { benchmark: 'some', benchmark_file: 'some.jsonl', benchmark_row: 1 };
    expect(await read({ path: file, preset })).toEqual([{ question: asked, place }]);
    // Its columns tell it apart from the others.
    expect(await read({ path: file })).toEqual([{ question: asked, place }]);
  });

  test.each([
    ['aime24.parquet', undefined, 6],
    ['aime24.parquet', 'afm_math', 6],
    ['math500.parquet', undefined, 42],
    ['livecodebench_v4.parquet', undefined, 6],
    ['livecodebench_v4.parquet', 'afm_livecodebench', 6],
  ] as const)('%s as %s: the task without the instruction', async (file, preset, count) => {
    const questions = await read({ path: testDataPath(`tasks/${file}`), preset, name: 'some' });
    expect(questions).toHaveLength(count);
    expect(questions.at(-1)?.place).toEqual({
      benchmark: 'some',
      benchmark_file: file,
      benchmark_row: count,
    });
    for (const { question } of questions)
      expect(question).not.toMatch(/high-level steps|Answer format|^Task/);
  });
});

test('what is encrypted is decrypted, whatever it says', () => {
  const cipher = fc.constantFrom('sha256' as const, 'text' as const);
  const anyKey = fc.string({ minLength: 1 });
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'binary' }), anyKey, cipher, (text, key, by) => {
      expect(decryptCell(encrypt(text.toWellFormed(), key, by), key, by)).toBe(text.toWellFormed());
    }),
  );
});

test('of a question the cipher is found', () => {
  for (const by of ['sha256', 'text'] as const) expect(cipherOf(encrypt(asked, canary, by), canary)).toBe(by);
  expect(cipherOf(encrypt(asked, 'another'), canary)).toBeUndefined();
});

test('Base64 beside a canary is not a question, whatever the columns', async () => {
  for (const by of ['sha256', 'text'] as const)
    expect(await read({ path: jsonLine({ question: encrypt(asked, canary, by), canary }) })).toMatchObject([
      { question: asked },
    ]);
  const other = read({ path: jsonLine({ question: encrypt(asked, 'another'), canary }) });
  await expect(other).rejects.toThrow('column canary');
});

describe('columns of one’s own', () => {
  test('the question and the canary', async () => {
    const plain = jsonLine({ item: { ask: asked }, notes: 'x' });
    expect(await read({ path: plain, columns: { question: 'item.ask' } })).toMatchObject([
      { question: asked },
    ]);
    const hidden = jsonLine({ ask: encrypt(asked, canary), key: canary });
    expect(await read({ path: hidden, columns: { question: 'ask', canary: 'key' } })).toMatchObject([
      { question: asked },
    ]);
  });
});

describe('files and folders', () => {
  test('CSV, JSON and JSONL of a folder at any depth, in the order of their names', async () => {
    const folder = temporaryFolder();
    for (const [name, content] of Object.entries({
      'b/c.csv': 'Question,Answer\n"From CSV, quoted?",x\n',
      'a.json': JSON.stringify([{ question: 'From JSON?', answer: 'x' }]),
      'z.jsonl': '\n{"question": "From JSONL?", "answer": "x"}\n',
      'dataset_info.json': '{}',
      'b/.cache/x.json': '{}',
      'README.md': 'no rows',
    }))
      temporaryFile(name, content, folder);
    expect(await read({ path: folder, name: 'mixed' })).toEqual([
      { question: 'From JSON?', place: { benchmark: 'mixed', benchmark_file: 'a.json', benchmark_row: 1 } },
      {
        question: 'From CSV, quoted?',
        place: { benchmark: 'mixed', benchmark_file: 'b/c.csv', benchmark_row: 2 },
      },
      { question: 'From JSONL?', place: { benchmark: 'mixed', benchmark_file: 'z.jsonl', benchmark_row: 2 } },
    ]);
  });
});

describe('one line about what is wrong', () => {
  test.each<[string, () => Partial<BenchmarkConfig> & { path: string }, string]>([
    ['an empty folder', () => ({ path: temporaryFolder() }), 'the folder holds no file of rows'],
    [
      'columns of no preset',
      () => ({ path: jsonLine({ frage: 'Wer?', antwort: 'x' }) }),
      'the row has "frage", "antwort": name the right one with columns.question',
    ],
    [
      'a row without a question',
      () => ({
        path: temporaryFile('a.jsonl', '{"question":"Who?","answer":"x"}\n{"question":null,"answer":"x"}\n'),
      }),
      'a.jsonl line 2: no question (column question',
    ],
    [
      'another ending',
      () => ({ path: temporaryFile('a.txt', 'Who?') }),
      'a file that ends in .csv, found "W"',
    ],
    [
      'plain text where it should be encrypted',
      () => ({ path: jsonLine({ problem: 'Who wrote it?', answer: 'x', canary }) }),
      "can't be decrypted with column canary",
    ],
    ['a file without rows', () => ({ path: temporaryFile('a.json', '[]') }), 'it holds no rows'],
  ])('%s', async (_, given, message) => {
    const reading = read(given());
    await expect(reading).rejects.toThrow(UserError);
    await expect(reading).rejects.toThrow(message);
  });
});
