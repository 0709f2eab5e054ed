import type { JsonObject, JsonValue } from '../../base/json.ts';
import { valueAt } from '../columnPath.ts';

/** How the answers are found in their column: `tasks.sources.*.answers.from`. */
export const answerRules = {
  whole: 'the column as it stands',
  hashes: 'what follows the last ####, as in GSM8K',
  boxed: 'what the last \\boxed{} holds, as in MATH',
  answer_tag: 'what <answer></answer> at the end holds',
  before_token: 'what stands before a control token of a tokenizer such as <|endoftext|>',
  python_list: "each text of a Python or NumPy list such as ['a', 'b']",
  option: "the letter, words or place from 0 of one of the row's options, which become part of the question",
} as const;
export type AnswerRule = keyof typeof answerRules;

const at = (...paths: readonly string[]): readonly string[] => paths;

/** Where a task's parts stand in a row. Each list of paths is tried in turn. These are rows of one's own. */
export const genericLayout = {
  /** A file with all columns of one of these sets is recognised; dots reach into objects. */
  columns: [] as readonly (readonly string[])[],
  id: at('id'),
  /** A path may be a template of several columns, such as `{Body} {Question}`. */
  question: at('question', 'Question', 'problem', 'Problem'),
  /** Text that stands before the question, such as a passage. */
  context: at(),
  answers: at('answers', 'answer', 'Answer'),
  /** Further right answers beside `answers`. */
  aliases: at(),
  /** Undefined: the column as it stands, refused where it is surely not what an answer is compared with. */
  answersFrom: undefined as AnswerRule | undefined,
  /** Options of multiple choice: a list, or labels with their texts. */
  options: at('options', 'choices'),
  data_source: at('data_source'),
  /** All of these that there are count. A path that is one of `answers` too holds either, as the domain says. */
  tests: at('tests'),
  /** What the tests call, its signature, and what stands before the program; where they stand apart from the tests. */
  func_name: at(),
  starter_code: at(),
  import_prefix: at(),
  /** The name by which `tests_from` knows the task. */
  question_id: at('question_id', 'id'),
  /** Rows have tests by the megabyte: they are read as if the file itself were `tests_from`. */
  hasLongTests: false,
  /** The question is what follows the last match of this in its column. */
  questionAfter: /^/g,
  /** Cut from the question: an instruction of the data set about its own answer format. */
  questionTail: /$^/,
  /** Columns that belong to the question, each put behind it under its heading. */
  sections: [] as readonly { readonly heading: string; readonly path: string }[],
  /** Text that question and answers are encrypted with, where they are. */
  canary: at('canary', 'Canary'),
  /** A row with a canary must be encrypted; else it is where its question is Base64. */
  isEncrypted: false,
  /** Columns whose value, where there is one, may say that the row is not a task for us. */
  refusals: [] as readonly Refusal[],
  /** Columns that are not kept with the task: solutions by the megabyte, images. */
  left_out: at(),
  /** Long columns that belong to no question, beside those that `accountColumns.ts` knows by their names. */
  meta: at(),
  /** Columns whose text or image the configuration leaves out of the question knowingly. */
  ignore: at(),
  /** Ids count from 0 in each file, so the data source goes in front. */
  idWithSource: false,
};
export type TaskLayout = Readonly<typeof genericLayout>;

export interface Refusal {
  readonly path: string;
  readonly when: (value: JsonValue) => boolean;
  readonly why: string;
}

/** Why a row is not a task. Those that are not `unusable` have a rule or a key that reads them. */
export type TaskProblem =
  | 'unusable'
  | 'encrypted'
  | 'rationale'
  | 'python_list'
  | 'letter_of_option'
  | 'long_answer'
  | 'control_token'
  | 'image'
  | 'function_not_named'
  | 'missing_value'
  | 'query';

/** Thrown for a row that is not a task. The message follows on where the row stands. */
export class TaskRowError extends Error {
  readonly code: TaskProblem;

  constructor(message: string, code: TaskProblem = 'unusable') {
    super(message);
    this.code = code;
  }
}

const placeholder = /\{([^{}]+)\}/g;

/** The columns of a template such as `{Body} {Question}`; a path without braces is its own column. */
export function columnsOf(path: string): readonly string[] {
  const named = [...path.matchAll(placeholder)].map(([, name]) => name!);
  return named.length > 0 ? named : [path];
}

/** A template with its columns filled in; the value of the column that holds no text, undefined where one is missing. */
function filled(row: JsonObject, template: string): JsonValue | undefined {
  const values = columnsOf(template).map((name) => valueAt(row, name) ?? null);
  if (values.includes(null)) return undefined;
  const other = values.find((value) => typeof value !== 'string' && typeof value !== 'number');
  return other ?? template.replace(placeholder, (_, name: string) => String(valueAt(row, name))).trim();
}

/** The first value that one of these paths or templates reaches in a row; null counts as none. */
export function findIn(row: JsonObject, paths: readonly string[]): JsonValue | undefined {
  const values = paths
    .values()
    .map((path) => (columnsOf(path)[0] === path ? valueAt(row, path) : filled(row, path)));
  return values.find((value) => value !== undefined && value !== null);
}

/** The column that {@link findIn} takes, for messages; all of them where none holds anything. */
export function columnOf(row: JsonObject, paths: readonly string[]): string {
  return `column ${paths.find((path) => findIn(row, [path]) !== undefined) ?? paths.join(' or ')}`;
}

/** Every column and path that a layout reads, or leaves out knowingly. */
export function readPaths(layout: TaskLayout): readonly string[] {
  return [
    ...layout.id,
    ...layout.question.flatMap(columnsOf),
    ...layout.context.flatMap(columnsOf),
    ...layout.sections.map(({ path }) => path),
    ...layout.answers,
    ...layout.aliases,
    ...layout.data_source,
    ...layout.tests,
    ...layout.func_name,
    ...layout.starter_code,
    ...layout.import_prefix,
    ...(layout.answersFrom === 'option' ? layout.options : []),
    ...layout.left_out,
  ];
}

/** A value, cut short, for messages. */
export function shown(value: JsonValue): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : JSON.stringify(value).slice(0, 60);
}

/** The columns that there are, and how to say which one is meant. */
export function otherColumns(row: JsonObject, key: 'question' | 'answers' | 'tests'): string {
  const names = Object.keys(row).map((name) => JSON.stringify(name));
  if (names.length === 0) return '; the row has no columns';
  return `; the row has ${names.join(', ').slice(0, 200)}: name the right one with columns.${key}, or its layout with preset`;
}
