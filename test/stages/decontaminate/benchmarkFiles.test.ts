import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { UserError } from '../../../base/userError.ts';
import { type BenchmarkConfig, benchmarkConfigSchema } from '../../../schemas/config/decontaminate.ts';
import { cipherOf, decryptCell } from '../../../schemas/decryptCell.ts';
import { readBenchmark } from '../../../stages/decontaminate/openBenchmarks.ts';
import { sharedDataPath } from '../../support/sharedData.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

async function read(given: Partial<BenchmarkConfig> & { path: string }) {
  const questions = [];
  for await (const found of readBenchmark(benchmarkConfigSchema.parse(given))) questions.push(found);
  return questions;
}

function write(name: string, content: string): string {
  const file = path.join(temporaryFolder(), name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

const jsonLine = (row: JsonObject) => write('some.jsonl', `${JSON.stringify(row)}\n`);

/** As simple-evals encrypts a cell, or xbench-evals with the canary itself. */
function encrypt(text: string, canary: string, cipher: 'sha256' | 'text' = 'sha256'): string {
  const key = cipher === 'text' ? Buffer.from(canary) : createHash('sha256').update(canary).digest();
  return Buffer.from(Buffer.from(text).map((byte, at) => byte ^ key[at % key.length]!)).toString('base64');
}

const asked = 'Who asked first?';
const canary = 'browsecomp:26b5c67b';

/** A row of each benchmark in the layout of its authors, and the words that are no question. */
const rows = {
  gaia: [
    { task_id: 'a', Question: asked, Level: 1, 'Final answer': '7', file_name: '', 'Annotator Metadata': {} },
  ],
  hle: [
    {
      id: 'a',
      question: asked,
      image: '',
      answer: 'x',
      answer_type: 'exactMatch',
      rationale: '',
      raw_subject: '',
    },
  ],
  browsecomp: [
    { problem: encrypt(asked, canary), answer: encrypt('x', canary), problem_topic: 'Art', canary },
    { Topic: 'Art', Question: encrypt(asked, canary), Answer: encrypt('x', canary), canary },
    { query_id: '1', query: encrypt(asked, canary), answer: encrypt('x', canary), canary },
  ],
  xbench: [
    { id: '1', prompt: encrypt(asked, canary, 'text'), answer: 'Gw==', reference_steps: 'Gw==', canary },
    { id: '1', type: 'x', subject: 'x', prompt: encrypt(asked, canary, 'text'), answer: 'Gw==', canary },
  ],
  webwalkerqa: [
    { question: asked, answer: 'x', root_url: 'https://example.org', info: { hop: 'single_source' } },
    { Question: asked, Answer: 'x', Root_Url: 'https://example.org', Info: { Hop: 'single_source' } },
  ],
  aime: [
    { ID: '2024-I-1', Problem: asked, Solution: 'x', Answer: 7 },
    { id: 60, problem: asked, solution: 'x', answer: '7', url: '', year: '2024' },
    { id: '0', problem: asked, answer: '7' },
    { question: asked, answer: '7' },
  ],
  math500: [{ problem: asked, solution: 'x', answer: '7', subject: 'Algebra', level: 2, unique_id: 'a' }],
  livecodebench: [
    { question_title: 'x', question_content: asked, platform: 'atcoder', question_id: 'a', starter_code: '' },
  ],
  nq: [
    { question: asked, answer: ['x'] },
    { id: 'a', question: { text: asked, tokens: ['x'] }, document: {}, annotations: {} },
    { question_text: asked, annotations: [] },
  ],
  hotpotqa: [
    {
      _id: 'a',
      question: asked,
      answer: 'x',
      supporting_facts: [],
      context: [],
      type: 'bridge',
      level: 'hard',
    },
  ],
  flashrag: [{ id: 'a', question: asked, golden_answers: ['x'], metadata: {} }],
  '2wikimultihopqa': [
    {
      _id: 'a',
      type: 'comparison',
      question: asked,
      context: [],
      supporting_facts: [],
      evidences: [],
      answer: 'x',
    },
  ],
  musique: [
    { id: 'a', paragraphs: [], question: asked, question_decomposition: [], answer: 'x', answer_aliases: [] },
  ],
  bamboogle: [{ Question: asked, Answer: 'x' }],
  popqa: [{ id: 1, subj: 'x', prop: 'y', obj: 'z', question: asked, possible_answers: '["x"]' }],
  triviaqa: [
    { question: asked, question_id: 'a', question_source: 'x', entity_pages: {}, answer: { value: 'x' } },
    { Question: asked, QuestionId: 'a', QuestionSource: 'x', Answer: {} },
  ],
  gsm8k: [{ question: asked, answer: 'So.\n#### 7' }],
  mmlu_pro: [
    { question_id: 1, question: asked, options: ['a', 'b'], answer: 'A', answer_index: 0, cot_content: '' },
  ],
  apps: [{ problem_id: 1, question: asked, solutions: '', input_output: '{}', starter_code: '' }],
  humaneval: [{ task_id: 'a', prompt: asked, entry_point: 'f', canonical_solution: '', test: 'x' }],
  mbpp: [
    { task_id: 1, text: asked, code: '', test_list: ['x'], test_setup_code: '', challenge_test_list: [] },
    { task_id: 1, prompt: asked, code: '', test_imports: [], test_list: ['x'] },
  ],
} as const satisfies Partial<Record<NonNullable<BenchmarkConfig['preset']>, readonly JsonObject[]>>;
const layouts = Object.entries(rows).flatMap(([preset, of]) =>
  of.map((row) => [preset as keyof typeof rows, row] as const),
);

describe('presets', () => {
  test.each(layouts)('%s: %j', async (preset, row) => {
    const file = jsonLine(row);
    const place = { benchmark: 'some', benchmark_file: 'some.jsonl', benchmark_row: 1 };
    expect(await read({ path: file, preset })).toEqual([{ question: asked, place }]);
    // Its columns tell it apart from the others.
    expect(await read({ path: file })).toEqual([{ question: asked, place }]);
  });

  test.each([
    ['aime24.parquet', undefined, 30],
    ['aime24.parquet', 'afm_math', 30],
    ['math500.parquet', undefined, 500],
    ['livecodebench_v4.parquet', undefined, 100],
    ['livecodebench_v4.parquet', 'afm_livecodebench', 100],
  ] as const)('%s as AFM released it: the task without AFM’s instruction', async (file, preset, count) => {
    const questions = await read({ path: sharedDataPath(file), preset, name: 'some' });
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
    mkdirSync(path.join(folder, 'b', '.cache'), { recursive: true });
    writeFileSync(path.join(folder, 'b', 'c.csv'), 'Question,Answer\n"From CSV, quoted?",x\n');
    writeFileSync(path.join(folder, 'a.json'), JSON.stringify([{ question: 'From JSON?', answer: 'x' }]));
    writeFileSync(path.join(folder, 'z.jsonl'), '\n{"question": "From JSONL?", "answer": "x"}\n');
    writeFileSync(path.join(folder, 'dataset_info.json'), '{}');
    writeFileSync(path.join(folder, 'b', '.cache', 'x.json'), '{}');
    writeFileSync(path.join(folder, 'README.md'), 'no rows');
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
    [
      'no such path',
      () => ({ path: '/no/such/file.jsonl' }),
      'there is no such file or folder; check the path',
    ],
    ['an empty folder', () => ({ path: temporaryFolder() }), 'the folder holds no file of rows'],
    [
      'columns of no preset',
      () => ({ path: jsonLine({ frage: 'Wer?', antwort: 'x' }) }),
      'the row has "frage", "antwort": name the right one with columns.question',
    ],
    [
      'columns of another preset',
      () => ({ path: jsonLine({ frage: 'Wer?', antwort: 'x' }), preset: 'gaia' }),
      'no question (column question or Question or problem or Problem); the row has "frage", "antwort"',
    ],
    [
      'a row without a question',
      () => ({
        path: write('a.jsonl', '{"question":"Who?","answer":"x"}\n{"question":null,"answer":"x"}\n'),
      }),
      'a.jsonl line 2: no question (column question',
    ],
    [
      'a question that is no text',
      () => ({ path: jsonLine({ question: 7, answer: 'x' }) }),
      'line 1: the question (column question) must be a string, found 7',
    ],
    [
      'a broken line',
      () => ({ path: write('a.jsonl', '{"question":\n') }),
      'a.jsonl line 1: the row is not JSON',
    ],
    [
      'a file that is no parquet',
      () => ({ path: write('a.parquet', '\0\x01\x02binary') }),
      'a.parquet: expected parquet by its ending',
    ],
    [
      'a binary file that says it is JSONL',
      () => ({ path: write('a.jsonl', '\0\x01\n') }),
      'found a binary file',
    ],
    ['another ending', () => ({ path: write('a.txt', 'Who?') }), 'a file that ends in .csv, found "W"'],
    [
      'plain text where it should be encrypted',
      () => ({ path: jsonLine({ problem: 'Who wrote it?', answer: 'x', canary }) }),
      "can't be decrypted with column canary",
    ],
    ['a file without rows', () => ({ path: write('a.json', '[]') }), 'it holds no rows'],
  ])('%s', async (_, given, message) => {
    const reading = read(given());
    await expect(reading).rejects.toThrow(UserError);
    await expect(reading).rejects.toThrow(message);
  });
});
