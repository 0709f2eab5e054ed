import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import { textList } from '../../base/rows/readCsv.ts';
import { normaliseText } from '../../schemas/coa/layout.ts';
import { withoutPath } from '../../schemas/columnPath.ts';
import { decryptCell } from '../../schemas/decryptCell.ts';
import { type Domain, type RecordTests, type Task, taskId } from '../../schemas/task.ts';
import type { TaskLayout } from './presets.ts';
import type { HiddenTests } from './readHiddenTests.ts';
import { findIn, testsOfRow } from './testsOfRow.ts';

/** What the rows of one task file are read as. */
export interface TaskMapping {
  readonly layout: TaskLayout;
  readonly profile: string;
  readonly domain: Domain;
  /** File name without its folder. */
  readonly file: string;
  /** Tests of the rows by question id; undefined where the rows have their own. */
  readonly hidden?: HiddenTests;
}

/** A task, or what is wrong with its row. */
export type MappedTask = { readonly task: Task } | { readonly problem: string };

class BadRow extends Error {}

/** Reads a row as a task. */
export function mapTask(row: number, value: JsonObject, mapping: TaskMapping): MappedTask {
  try {
    return { task: taskOf(row, value, mapping) };
  } catch (error) {
    if (error instanceof BadRow) return { problem: error.message };
    throw error;
  }
}

function taskOf(row: number, value: JsonObject, mapping: TaskMapping): Task {
  const { layout, profile, domain, file } = mapping;
  assertUsable(value, layout);
  const data_source = textOf(findIn(value, layout.data_source), 'data_source', layout.data_source);
  const given_id = idOf(value, layout, data_source);
  const content = {
    ...(given_id === undefined ? {} : { given_id }),
    question: questionOf(value, layout),
    answers: answersFor(domain, value, layout),
    domain,
    profile,
    ...testsFor(domain, value, mapping),
  };
  assertJudgeable(content, value, layout);
  const extra = extraOf(value, layout);
  const source = { file, row, ...(data_source === undefined ? {} : { data_source }) };
  return { id: taskId(content), ...content, source, ...(extra ? { extra } : {}) };
}

function assertUsable(row: JsonObject, { refusals }: TaskLayout): void {
  for (const { path, when, why } of refusals) {
    const value = findIn(row, [path]);
    if (value !== undefined && when(value)) {
      throw new BadRow(`${why} (column ${path} is ${JSON.stringify(value).slice(0, 60)})`);
    }
  }
}

/** A column that may hold answers or tests holds what the domain asks for. */
function answersFor(domain: Domain, row: JsonObject, layout: TaskLayout): string[] {
  return domain === 'code' && isEither(layout) ? [] : answersOf(row, layout);
}

function testsFor(domain: Domain, row: JsonObject, { layout, hidden }: TaskMapping): Pick<Task, 'tests'> {
  if (hidden) return { tests: hiddenTests(row, layout, hidden) };
  if (domain !== 'code' && isEither(layout)) return {};
  const tests = testsOfRow(row, layout);
  if (tests && 'problem' in tests) throw new BadRow(tests.problem);
  return tests ? { tests } : {};
}

function hiddenTests(row: JsonObject, layout: TaskLayout, { from, tests }: HiddenTests): RecordTests {
  const id = questionIdOf(row, layout);
  if (id === undefined) {
    throw new BadRow(
      `no question id (column ${layout.question_id.join(' or ')}) to find its tests in ${from} by`,
    );
  }
  const found = tests.get(id);
  if (!found) throw new BadRow(`no tests for question ${JSON.stringify(id)} in ${from}`);
  if ('problem' in found) throw new BadRow(`question ${JSON.stringify(id)} in ${from}: ${found.problem}`);
  return found;
}

/** The name by which files of tests know a row's task; undefined where it has none. */
export function questionIdOf(row: JsonObject, { question_id }: TaskLayout): string | undefined {
  const id = findIn(row, question_id);
  return (typeof id === 'string' || typeof id === 'number') && id !== '' ? String(id) : undefined;
}

function isEither({ tests, answers }: TaskLayout): boolean {
  return tests.some((path) => answers.includes(path));
}

function idOf(row: JsonObject, layout: TaskLayout, dataSource: string | undefined): string | undefined {
  const id = textOf(findIn(row, layout.id), 'id', layout.id);
  return id !== undefined && layout.idWithSource && dataSource !== undefined ? `${dataSource}-${id}` : id;
}

function questionOf(row: JsonObject, layout: TaskLayout): string {
  const where = layout.question.join(' or ');
  const raw = findIn(row, layout.question);
  if (raw === undefined) throw new BadRow(`no question (column ${where})${otherColumns(row, 'question')}`);
  if (typeof raw !== 'string') throw new BadRow(`the question (column ${where}) must be a string`);
  const text = normaliseText(plain(row, raw, layout, where));
  const marker = layout.questionAfter;
  const start = marker === undefined ? 0 : text.lastIndexOf(marker);
  if (start < 0)
    throw new BadRow(`the question (column ${where}) lacks ${JSON.stringify(marker)} before the task`);
  const task = text.slice(start + (marker?.length ?? 0));
  const question = (layout.questionTail ? task.replace(layout.questionTail, '') : task).trim();
  if (question === '') throw new BadRow(`the question (column ${where}) is empty`);
  return [question, ...sectionsOf(row, layout)].join('\n\n');
}

function sectionsOf(row: JsonObject, { sections }: TaskLayout): string[] {
  return sections.flatMap(({ heading, path }) => {
    const text = textOf(findIn(row, [path]), 'question', [path]);
    return text === undefined ? [] : [`${heading}\n${text}`];
  });
}

/** The text of a column, decrypted where the row says with what. */
function plain(row: JsonObject, text: string, { key }: TaskLayout, where: string): string {
  const password = key === undefined ? undefined : findIn(row, [key]);
  if (typeof password !== 'string' || password === '') return text;
  const decrypted = decryptCell(text, password);
  if (decrypted !== undefined) return decrypted;
  throw new BadRow(`column ${where} can't be decrypted with column ${key}: not Base64, or another key`);
}

/** The columns that there are, and how to say which one is meant. */
function otherColumns(row: JsonObject, key: 'question' | 'answers' | 'tests'): string {
  const names = Object.keys(row).map((name) => JSON.stringify(name));
  if (names.length === 0) return '; the row has no columns';
  return `; the row has ${names.join(', ').slice(0, 200)}: name the right one with columns.${key}`;
}

/** Gold answers as text. Blank ones are left out: nothing could match them but a blank answer. */
function answersOf(row: JsonObject, layout: TaskLayout): string[] {
  const answers = answersIn(row, layout, layout.answers);
  const aliases = layout.aliases.flatMap((path) => answersIn(row, layout, [path]));
  return [...answers, ...aliases.filter((alias) => !answers.includes(alias))];
}

function answersIn(row: JsonObject, layout: TaskLayout, paths: readonly string[]): string[] {
  const value = findIn(row, paths);
  const where = paths.join(' or ');
  const shown = typeof value === 'string' ? goldText(plain(row, value, layout, where), layout, where) : value;
  const read = typeof shown === 'string' ? (textList(shown) ?? shown) : shown;
  const list: readonly JsonValue[] = Array.isArray(read) ? read : read === undefined ? [] : [read];
  return list
    .map((item) => textOf(item, 'answer', paths))
    .filter((answer): answer is string => answer !== undefined);
}

/** The part of a column that is the answer. Tests are none, and taken as text nothing would ever match them. */
function goldText(text: string, { answerIn }: TaskLayout, where: string): string {
  if (answerIn) {
    const [, answer] = answerIn.exec(text) ?? [];
    if (answer === undefined) throw new BadRow(`no answer in column ${where}: it does not match ${answerIn}`);
    return answer;
  }
  if (/^\s*\{\s*"/.test(text) && isJsonObject(parsedOf(text))) {
    throw new BadRow(
      `the answer (column ${where}) is a JSON object, ${JSON.stringify(text).slice(0, 60)}; name the column in it with columns.answers, or use a profile of programs if it has tests`,
    );
  }
  return text;
}

function parsedOf(text: string): JsonValue | undefined {
  const parsed = safeParseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

/** Text or a number as trimmed NFC text; undefined when there is none. */
function textOf(value: JsonValue | undefined, part: string, paths: readonly string[]): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' && typeof value !== 'number') {
    throw new BadRow(
      `the ${part} must be a string or a number, found ${JSON.stringify(value).slice(0, 60)} (column ${paths.join(' or ')})`,
    );
  }
  const text = normaliseText(String(value)).trim();
  return text === '' ? undefined : text;
}

/** Programs are judged by their tests, everything else by gold answers. */
function assertJudgeable(
  { domain, answers, tests }: Pick<Task, 'domain' | 'answers' | 'tests'>,
  row: JsonObject,
  layout: TaskLayout,
): void {
  if (domain === 'code' ? tests : answers.length > 0) return;
  const key = domain === 'code' ? 'tests' : 'answers';
  const what = domain === 'code' ? 'tests to judge programs by' : 'answer';
  const others = findIn(row, layout[key]) === undefined ? otherColumns(row, key) : '';
  throw new BadRow(`no ${what} (column ${layout[key].join(' or ')})${others}`);
}

function extraOf(row: JsonObject, layout: TaskLayout): JsonObject | undefined {
  const used = [
    ...layout.id,
    ...layout.question,
    ...layout.sections.map(({ path }) => path),
    ...layout.answers,
    ...layout.aliases,
    ...layout.data_source,
    ...layout.tests,
    ...layout.func_name,
    ...layout.starter_code,
    ...layout.left_out,
  ];
  const left = used.reduce(withoutPath, row);
  return Object.keys(left).length === 0 ? undefined : left;
}
