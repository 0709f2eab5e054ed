import type { JsonObject } from '../../base/json.ts';
import { withoutPath } from '../../schemas/columnPath.ts';
import { type Domain, type RecordTests, type Task, taskId } from '../../schemas/task.ts';
import { synthesisSchema } from '../../schemas/taskSynthesis.ts';
import { assertNamesFunction, assertNoImage } from '../../schemas/tasks/accountColumns.ts';
import {
  columnOf,
  findIn,
  otherColumns,
  readPaths,
  shown,
  type TaskLayout,
  type TaskProblem,
  TaskRowError,
} from '../../schemas/tasks/taskLayout.ts';
import {
  type CellReader,
  cellReader,
  questionIn,
  questionSections,
} from '../../schemas/tasks/taskQuestion.ts';
import { goldAnswers, plainText } from './goldAnswers.ts';
import { type HiddenTests, testsOfRow } from './readHiddenTests.ts';

/** Mapping of a task file's rows. */
export interface TaskMapping {
  readonly layout: TaskLayout;
  readonly profile: string;
  readonly domain: Domain;
  /** File name without the folder. */
  readonly file: string;
  /** Tests by question id; undefined if the rows contain them. */
  readonly hidden?: HiddenTests;
}

/** A task, or the problem of its row. */
type MappedTask = { readonly task: Task } | { readonly code: TaskProblem; readonly problem: string };

/** Maps a row to a task. */
export function mapTask(row: number, value: JsonObject, mapping: TaskMapping): MappedTask {
  try {
    return { task: taskOf(row, value, mapping) };
  } catch (error) {
    if (error instanceof TaskRowError) return { code: error.code, problem: error.message };
    throw error;
  }
}

function taskOf(row: number, value: JsonObject, mapping: TaskMapping): Task {
  const { layout, profile, domain, file } = mapping;
  assertUsable(value, layout);
  assertNoImage(value, layout);
  const data_source = partOf(value, layout, 'data_source');
  const given_id = idOf(value, layout, data_source);
  const read = cellReader(value, layout);
  const content = {
    ...(given_id === undefined ? {} : { given_id }),
    question: [questionIn(value, layout, read), ...questionSections(value, layout)].join('\n\n'),
    answers: answersFor(domain, value, layout, read),
    domain,
    profile,
    ...testsFor(domain, value, mapping),
  };
  assertJudgeable(content, value, layout);
  const where = columnOf(value, layout.question);
  assertAskable(content.question, where);
  const listed = layout.tests.find((path) => Array.isArray(findIn(value, [path])));
  assertNamesFunction(content.question, content.tests, { where, listed });
  const synthesis = synthesisSchema.safeParse(value.synthesis).data;
  const extra = extraOf(synthesis ? withoutPath(value, 'synthesis') : value, layout);
  const source = { file, row, ...(data_source === undefined ? {} : { data_source }) };
  return {
    id: taskId(content),
    ...content,
    source,
    ...(synthesis && { synthesis }),
    ...(extra && { extra }),
  };
}

/** Maximum characters of a question with its sections; above any model's context. */
const MAX_QUESTION_CHARS = 1_000_000;

function assertAskable({ length }: string, where: string): void {
  if (length <= MAX_QUESTION_CHARS) return;
  const [has, most] = [length, MAX_QUESTION_CHARS].map((count) => count.toLocaleString('en'));
  throw new TaskRowError(`the question (${where}) has ${has} characters; expected at most ${most}`);
}

function partOf(row: JsonObject, layout: TaskLayout, part: 'id' | 'data_source'): string | undefined {
  return plainText(findIn(row, layout[part]), `the ${part} (${columnOf(row, layout[part])})`);
}

function assertUsable(row: JsonObject, { refusals }: TaskLayout): void {
  for (const { path, when, why } of refusals) {
    const value = findIn(row, [path]);
    if (value !== undefined && when(value)) {
      throw new TaskRowError(`${why} (column ${path} is ${shown(value)})`);
    }
  }
}

/** Answers or tests of a shared column, as the domain requires. Answers of programs are not compared. */
function answersFor(domain: Domain, row: JsonObject, layout: TaskLayout, read: CellReader): string[] {
  if (domain !== 'code') return goldAnswers(row, layout, read);
  return isEither(layout) ? [] : goldAnswers(row, { ...layout, answersFrom: 'whole' }, read);
}

function testsFor(domain: Domain, row: JsonObject, { layout, hidden }: TaskMapping): Pick<Task, 'tests'> {
  if (hidden) return { tests: hiddenTests(row, layout, hidden) };
  if (domain !== 'code' && isEither(layout)) return {};
  const tests = testsOfRow(row, layout);
  if (tests && 'problem' in tests) throw new TaskRowError(tests.problem);
  return tests ? { tests } : {};
}

function hiddenTests(row: JsonObject, layout: TaskLayout, { from, tests }: HiddenTests): RecordTests {
  const id = questionIdOf(row, layout);
  if (id === undefined) {
    throw new TaskRowError(
      `no question id (${columnOf(row, layout.question_id)}) to find its tests in ${from} by`,
    );
  }
  const found = tests.get(id);
  if (!found) throw new TaskRowError(`no tests for question ${JSON.stringify(id)} in ${from}`);
  if ('problem' in found)
    throw new TaskRowError(`question ${JSON.stringify(id)} in ${from}: ${found.problem}`);
  return found;
}

/** Id of a row's task in test files; undefined without one. */
export function questionIdOf(row: JsonObject, { question_id }: TaskLayout): string | undefined {
  const id = findIn(row, question_id);
  return (typeof id === 'string' || typeof id === 'number') && id !== '' ? String(id) : undefined;
}

function isEither({ tests, answers }: TaskLayout): boolean {
  return tests.some((path) => answers.includes(path));
}

function idOf(row: JsonObject, layout: TaskLayout, dataSource: string | undefined): string | undefined {
  const id = partOf(row, layout, 'id');
  return id !== undefined && layout.idWithSource && dataSource !== undefined ? `${dataSource}-${id}` : id;
}

/** Requires tests for programs and gold answers otherwise. */
function assertJudgeable(
  { domain, answers, tests }: Pick<Task, 'domain' | 'answers' | 'tests'>,
  row: JsonObject,
  layout: TaskLayout,
): void {
  if (domain === 'code' ? tests : answers.length > 0) return;
  const key = domain === 'code' ? 'tests' : 'answers';
  const what = domain === 'code' ? 'tests to judge programs by' : 'answer';
  const others = findIn(row, layout[key]) === undefined ? otherColumns(row, key) : '';
  throw new TaskRowError(`no ${what} (${columnOf(row, layout[key])})${others}`);
}

function extraOf(row: JsonObject, layout: TaskLayout): JsonObject | undefined {
  const left = readPaths(layout).reduce(withoutPath, row);
  return Object.keys(left).length === 0 ? undefined : left;
}
