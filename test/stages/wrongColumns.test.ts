import { expect, test } from 'vitest';
import { ProblemList } from '../../base/userError.ts';
import { parseYaml } from '../../pipeline/config/configDocument.ts';
import { jsonLines } from '../cli/support/project.ts';
import { emittedTasks, readTasks, type SourceOptions } from '../support/readTasks.ts';
import { temporaryFile } from '../support/temporaryFolder.ts';

const fileOf = (...rows: readonly object[]) => temporaryFile('mine.jsonl', jsonLines(rows));

const repeated = <T>(row: T): T[] => Array.from({ length: 25 }, () => row);

const problemOf = async (source: SourceOptions, onBadTask: 'fail' | 'skip' = 'fail') =>
  readTasks([source], { onBadTask }).then(
    () => undefined,
    (error: Error) => error,
  );

test.each([
  [
    { 'Prompt Text': 'q?', 'Gold Label': 'a', nr: 1 },
    { question: 'Prompt Text', answers: 'Gold Label' },
  ],
  [{ question: 'q?', 'Final-Answer': 'a' }, { answers: 'Final-Answer' }],
  [{ qestion: 'q?', answer: 'a' }, { question: 'qestion' }],
  [
    { input: 'q?', output: 'a' },
    { question: 'input', answers: 'output' },
  ],
  [
    { query: 'q?', 'true: or not': ['a'], response: 'a' },
    { question: 'query', answers: 'response' },
  ],
])('of rows such as %j the guesses are told in one line, and work', async (row, columns) => {
  const path = fileOf(...repeated(row));
  const error = await problemOf({ path });
  expect(error).not.toBeInstanceOf(ProblemList);
  expect(error!.message).not.toMatch(/\n|skip/);
  const [yaml] = /columns: \{.*?\}/.exec(error!.message) ?? [];
  expect(parseYaml(yaml!)).toEqual({ columns });
  expect(emittedTasks(await readTasks([{ path, columns }]))).toHaveLength(25);
});

test('programs are asked for tests, and a name of a column in the configuration for one like it', async () => {
  const rows = repeated({ task: 'q', unit_tests: { stdin: ['1'], expected_output: ['1'] } });
  expect((await problemOf({ path: fileOf(...rows), profile: 'code' }))!.message).toMatch(
    /`tests`; `unit_tests` looks like it: write columns: \{ question: task, tests: unit_tests \}/,
  );
  const named = { path: fileOf({ 'Prompt Text': 'q?', answer: 'a' }), columns: { question: 'Promt Text' } };
  expect((await problemOf(named))!.message).toContain('no column `Promt Text`; `Prompt Text` looks like it');
});

test('a column that is empty in the first rows is there; skipped rows are looked at to the last', async () => {
  const unanswered = repeated({ question: 'q?', answer: null });
  expect((await problemOf({ path: fileOf(...unanswered) }))!.message).toContain('line 1: no answer');
  const late = [...repeated({ question: 'q?' }), { question: 'q?', answer: 'a' }];
  expect(await problemOf({ path: fileOf(...late) }, 'skip')).toBeUndefined();
  expect((await problemOf({ path: fileOf(...repeated({ question: 'q?' })) }, 'skip'))!.message).toContain(
    'no column `answers`',
  );
});
