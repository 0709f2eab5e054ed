import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { tableFromJSON, tableToIPC } from 'apache-arrow';
import fc from 'fast-check';
import { Table as ParquetTable, writeParquet } from 'parquet-wasm';
import { describe, expect, test } from 'vitest';
import { openTestStore, testsFolder } from '../../pipeline/run/openTestStore.ts';
import type { StoredTests } from '../../schemas/task.ts';
import { unpackTests, unpickleText } from '../../stages/tasks/unpackTests.ts';
import { jsonLines } from '../cli/support/project.ts';
import { testsAtHand } from '../support/answerKey/toolSteps.ts';
import { emittedTasks, readTasks, type SourceOptions } from '../support/readTasks.ts';
import { temporaryFile, temporaryFolder } from '../support/temporaryFolder.ts';
import { testDataPath } from '../support/testData.ts';

/** What Python's own `pickle` makes of texts, by each protocol from 2 to 5. */
function pickled(texts: readonly string[]): Buffer[] {
  const program = `import base64, json, pickle, sys
texts = json.load(sys.stdin)
print(json.dumps([base64.b64encode(pickle.dumps(t, protocol=p)).decode() for t in texts for p in (2, 3, 4, 5)]))`;
  const out = execFileSync('python3', ['-c', program], { input: JSON.stringify(texts), maxBuffer: 2 ** 28 });
  return (JSON.parse(String(out)) as string[]).map((text) => Buffer.from(text, 'base64'));
}

/** One text's pickle of protocol 4, as LiveCodeBench's are. */
function pickleOf(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([Buffer.from([0x80, 4, 0x58]), length, bytes, Buffer.from([0x94, 0x2e])]);
}

const pack = (text: string) => deflateSync(pickleOf(text)).toString('base64');

describe('a pickle of one text', () => {
  test('is read as Python wrote it, by every protocol and length', () => {
    const texts = ['', 'a', 'ü💡', 'x'.repeat(255), 'x'.repeat(256), 'y'.repeat(70_000), 'ü'.repeat(40_000)];
    const pickles = pickled(texts);
    expect(pickles.map((pickle) => unpickleText(pickle))).toEqual(
      texts.flatMap((text) => Array.from({ length: 4 }, () => ({ text }))),
    );
  });

  test('is refused when it is anything more, and nothing of it is executed', () => {
    const mark = path.join(temporaryFolder(), 'executed');
    const program = `import base64, json, pickle, sys
mark = sys.argv[1]
class Run:
    def __reduce__(self): return (exec, (f"open({mark!r}, 'w')",))
class Held:
    def __init__(self): self.x = Run()
values = [Run(), Held(), [Run()], {"a": Run()}, ("a", "b"), ["a"], {"a": 1}, b"a", 1, None, True, 1.5, set("a")]
made = [pickle.dumps(v, protocol=p) for v in values for p in range(6)]
made += [b"cos\\nsystem\\n(S'touch %s'\\ntR." % mark.encode(), b"(S'touch %s'\\nios\\nsystem\\n." % mark.encode()]
text = pickle.dumps("a", protocol=4)
made += [text[:-1] + m[2:] for m in made if len(m) > 3] + [text + m for m in made] + [m[:-1] + text[2:] for m in made]
print(json.dumps([base64.b64encode(m).decode() for m in made]))`;
    const out = execFileSync('python3', ['-c', program, mark], { input: '' });
    const pickles = (JSON.parse(String(out)) as string[]).map((text) => Buffer.from(text, 'base64'));
    expect(pickles.length).toBeGreaterThan(300);
    for (const pickle of pickles) {
      expect(unpickleText(pickle)).toHaveProperty('problem');
      expect(unpackTests(deflateSync(pickle).toString('base64'))).toHaveProperty('problem');
    }
    expect(existsSync(mark)).toBe(false);
  });

  test('that is damaged gives a text or a problem, and never throws', () => {
    const whole = pickleOf('[{"input": "1", "output": "2"}]');
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length), (at, byte, length) => {
        const bytes = Buffer.from(whole);
        bytes[at] = byte;
        const read = unpickleText(bytes.subarray(0, length));
        expect(Object.keys(read)).toHaveLength(1);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('packed tests', () => {
  test('come out as they went in', () => {
    const text = '[{"input": "ü", "output": "2"}]';
    expect(unpackTests(pack(text))).toEqual({ text });
  });

  test('a small text that unpacks to a huge one is refused before it is there', () => {
    const before = process.memoryUsage().arrayBuffers;
    const bomb = deflateSync(Buffer.alloc(2 ** 26)).toString('base64');
    expect(bomb.length).toBeLessThan(100_000);
    expect(unpackTests(bomb)).toEqual({ problem: expect.stringMatching(/more than \d+ MB/) });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 27);
  });

  test.each([
    ['no zlib', 'eJx0AAAAAAAAAAAA'],
    ['cut short', pack('[]'.repeat(1000)).slice(0, 24)],
  ])('%s', (_title, packed) => {
    expect(unpackTests(packed)).toHaveProperty('problem');
  });
});

const cases = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) => ({
    input: `${from + n}\n`,
    output: `${2 * (from + n)}\n`,
    testtype: 'stdin',
  }));

/** A row as LiveCodeBench publishes it. */
const benchmarkRow = (question_id: string, packs = true) => ({
  question_title: 'Double',
  question_content: `Double the number (${question_id}).`,
  platform: 'atcoder',
  question_id,
  contest_id: 'abc',
  contest_date: '2024-01-01T00:00:00',
  starter_code: '',
  difficulty: 'easy',
  public_test_cases: JSON.stringify(cases(2)),
  private_test_cases: packs ? pack(JSON.stringify(cases(60, 2))) : JSON.stringify(cases(60, 2)),
  metadata: '{}',
});

const parquet = (rows: readonly Record<string, unknown>[]) =>
  writeParquet(ParquetTable.fromIPCStream(tableToIPC(tableFromJSON([...rows]), 'stream')));

const samples = (ids: readonly string[]) =>
  jsonLines(
    ids.map((question_id) => ({
      id: `task-${question_id}`,
      question_id,
      question: `Double (${question_id}).`,
      tests: { stdin: ['1\n'], expected_output: ['2\n'] },
    })),
  );

const readCode = (source: SourceOptions, options: Parameters<typeof readTasks>[1] = {}) =>
  readTasks([{ profile: 'code', ...source }], options);

const messageOf = async (run: Promise<unknown>) => String(await run.catch((error: Error) => error.message));

describe('tests_from', () => {
  const rows = ['a', 'b', '3'].map((id, at) => benchmarkRow(id, at < 2));
  const places: readonly [string, () => string][] = [
    ['a JSONL file', () => temporaryFile('test.jsonl', jsonLines(rows))],
    ['a parquet file', () => temporaryFile('test.parquet', parquet(rows))],
    [
      'a folder',
      () => {
        const folder = path.dirname(temporaryFile('test.jsonl', jsonLines(rows.slice(0, 1))));
        temporaryFile('more/test2.parquet', parquet(rows.slice(1)), folder);
        temporaryFile('README.md', 'no tests', folder);
        temporaryFile('dataset_info.json', '{}', folder);
        return folder;
      },
    ],
  ];
  test.each(places)('%s', async (_title, place) => {
    const run = temporaryFolder();
    const testStore = openTestStore(run, { writes: true });
    const source = { path: temporaryFile('tasks.jsonl', samples(['a', 'b', '3'])), tests_from: place() };
    const tasks = emittedTasks(await readCode(source, { testStore }));
    expect(tasks.map(({ tests }) => tests)).toEqual(
      Array.from({ length: 3 }, () => ({ kind: 'stored', count: 62, sha256: expect.any(String) })),
    );
    // All three have the same tests: they are kept once.
    expect(readdirSync(testsFolder(run))).toHaveLength(1);
    const tests = await testStore.get(tasks[0]!.tests as StoredTests);
    expect(tests).toEqual({
      kind: 'stdin',
      cases: cases(62).map(({ input, output }) => ({ stdin: input, expected_output: output })),
    });
  });

  test('without a store the tasks hold the tests themselves, and a store changes no order', async () => {
    const source = {
      path: temporaryFile('tasks.jsonl', samples(['a'])),
      tests_from: temporaryFile('t.jsonl', jsonLines(rows)),
    };
    const [task] = emittedTasks(await readCode(source));
    expect(testsAtHand(task!)).toMatchObject({ kind: 'stdin' });
  });

  test('a task without tests there, or with broken ones, is a bad task that says so', async () => {
    const broken = { ...benchmarkRow('b'), private_test_cases: pack('[]').replace('eJ', 'eN') };
    const from = temporaryFile('test.jsonl', jsonLines([benchmarkRow('a'), broken, { question_id: 'd' }]));
    const tasks = temporaryFile('tasks.jsonl', `${samples(['a', 'b', 'c', 'd'])}{"question": "q"}\n`);
    const outcomes = await readCode({ path: tasks, tests_from: from }, { onBadTask: 'skip' });
    const problems = outcomes.map(({ outcome }) =>
      outcome.kind === 'drop' ? outcome.evidence.problem : outcome.kind,
    );
    expect(problems).toEqual([
      'emit',
      expect.stringContaining(
        'question "b" in test.jsonl: the tests (column private_test_cases) can\'t be unpacked',
      ),
      'no tests for question "c" in test.jsonl',
      expect.stringContaining('question "d" in test.jsonl: no tests'),
      expect.stringContaining('no question id (column question_id or id)'),
    ]);
  });

  test('a row with an absurd id is passed over', async () => {
    const deep = `{"question_id": ${'['.repeat(100)}${']'.repeat(100)}}\n`;
    const from = temporaryFile('test.jsonl', deep + jsonLines([benchmarkRow('a')]));
    const source = { path: temporaryFile('tasks.jsonl', samples(['a'])), tests_from: from };
    expect(emittedTasks(await readCode(source))).toHaveLength(1);
  });

  test('a limit looks up no more tests than it needs, and goes on past unusable rows', async () => {
    const ids = Array.from({ length: 9 }, (_, n) => `q${n}`);
    const own = ids.map((id, n) => ({
      ...benchmarkRow(id),
      public_test_cases: JSON.stringify(cases(1, n)),
    }));
    const run = temporaryFolder();
    const testStore = openTestStore(run, { writes: true });
    const source = {
      path: temporaryFile('tasks.jsonl', samples(['none', ...ids])),
      tests_from: temporaryFile('test.jsonl', jsonLines(own)),
      limit: 3,
    };
    const tasks = emittedTasks(await readCode(source, { testStore, onBadTask: 'skip' }));
    expect(tasks.map(({ given_id }) => given_id)).toEqual(['task-q0', 'task-q1', 'task-q2']);
    expect(readdirSync(testsFolder(run))).toHaveLength(3);
  });

  test("LiveCodeBench's own file is its own tests_from, calls included", async () => {
    const call = [{ input: '[1, 2]\n3', output: '[4, 5]', testtype: 'functional' }];
    const row = {
      ...benchmarkRow('3242'),
      starter_code: 'class Solution:\n    def add(self, a, b):\n        ',
      public_test_cases: JSON.stringify(call),
      private_test_cases: pack(JSON.stringify(call)),
      metadata: '{"func_name": "add"}',
    };
    const testStore = openTestStore(temporaryFolder(), { writes: true });
    const source = { path: temporaryFile('test5.jsonl', jsonLines([row])), preset: 'livecodebench' as const };
    const [task] = emittedTasks(await readCode(source, { testStore }));
    expect(task).toMatchObject({ tests: { kind: 'stored', count: 2, func_name: 'add' } });
    expect(task?.extra).not.toHaveProperty('private_test_cases');
  });

  test("AFM's rows are judged by the benchmark's tests instead of its samples", async () => {
    const source = {
      path: testDataPath('tasks/livecodebench_v4.parquet'),
      preset: 'afm_livecodebench' as const,
    };
    const [sampled] = emittedTasks(await readCode({ ...source, limit: 1 }));
    expect(sampled).toMatchObject({
      given_id: 'skywork_livecodebench_v4-own101_a',
      tests: { cases: [{}, {}, {}] },
    });
    const tests_from = temporaryFile('test.jsonl', jsonLines([benchmarkRow('own101_a')]));
    const testStore = openTestStore(temporaryFolder(), { writes: true });
    const [task] = emittedTasks(await readCode({ ...source, tests_from, limit: 1 }, { testStore }));
    expect(task).toMatchObject({ question: sampled?.question, tests: { kind: 'stored', count: 62 } });
    expect(task?.id).not.toBe(sampled?.id);
  });

  test('what can never work is said at once', async () => {
    const tasks = temporaryFile('tasks.jsonl', samples(['a']));
    const folder = path.dirname(temporaryFile('abc366_f.pkl', pickleOf('x')));
    const good = temporaryFile('test.jsonl', jsonLines([benchmarkRow('a')]));
    const broken = temporaryFile('test.jsonl', `${jsonLines([benchmarkRow('a')])}{\n`);
    for (const [tests_from, message, profile = 'code'] of [
      ['/nowhere', 'there is no such file'],
      [folder, '.pkl files hold Python objects'],
      [broken, 'test.jsonl line 2: the row is not JSON'],
      [good, 'its domain is math', 'math'],
    ] as const)
      expect(await messageOf(readCode({ path: tasks, tests_from, profile }))).toContain(message);
  });
});

describe('the store', () => {
  const tests = { kind: 'stdin' as const, cases: [{ stdin: '1', expected_output: '2' }] };
  test('says of damaged and missing tests what to do, and gives no others', async () => {
    const run = temporaryFolder();
    const store = openTestStore(run, { writes: true });
    const stored = await store.put(tests);
    expect(await store.get(stored)).toEqual(tests);
    const file = path.join(testsFolder(run), readdirSync(testsFolder(run))[0]!);
    const bytes = readFileSync(file);
    for (const at of bytes.keys()) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 4;
      writeFileSync(file, damaged);
      const read = await store.get(stored).catch((error: Error) => error.message);
      // Some bits of a gzip header say nothing about what it holds.
      if (typeof read === 'string') expect(read).toMatch(/damaged; read the tasks again with --from tasks/);
      else expect(read).toEqual(tests);
    }
    const gone = openTestStore(temporaryFolder(), { writes: true });
    expect(await messageOf(gone.get(stored))).toContain("the tests can't be read (ENOENT)");
  });

  test('that does not write gives the same stand-in', async () => {
    const run = temporaryFolder();
    const stored = await openTestStore(run, { writes: false }).put(tests);
    expect(stored).toEqual(await openTestStore(temporaryFolder(), { writes: true }).put(tests));
    expect(existsSync(testsFolder(run))).toBe(false);
  });
});

test('tasks with fewer tests than filters.min_tests are dropped before a model is asked', async () => {
  const testsOf = (count: number) => ({
    stdin: cases(count).map(({ input }) => input),
    expected_output: cases(count).map(({ output }) => output),
  });
  const file = temporaryFile(
    'tasks.jsonl',
    jsonLines([1, 9, 10, 11].map((count) => ({ question: `q${count}`, tests: testsOf(count) }))),
  );
  const outcomes = await readCode({ path: file, limit: 1 }, { minTests: 10 });
  expect(outcomes.map(({ outcome }) => outcome)).toMatchObject([
    { kind: 'drop', reason: 'too_few_tests', evidence: { tests: 1, min_tests: 10 } },
    { kind: 'drop', reason: 'too_few_tests', evidence: { tests: 9, min_tests: 10 } },
    { kind: 'emit', records: [{ question: 'q10' }] },
  ]);
});
