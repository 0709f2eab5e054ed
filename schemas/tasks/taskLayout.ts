import type { JsonObject, JsonValue } from '../../base/json.ts';
import { valueAt } from '../columnPath.ts';

/** Rules that extract answers from their column: `tasks.sources.*.answers.from`. */
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

/** Location of a task's parts in a row; lists of paths are tried in order. These values fit the user's own rows. */
export const genericLayout = {
  /** Column sets that identify a file; dots reach into objects. */
  columns: [] as readonly (readonly string[])[],
  id: at('id'),
  /** A path may be a template of several columns, such as `{Body} {Question}`. */
  question: at('question', 'Question', 'problem', 'Problem'),
  /** Text before the question, such as a passage. */
  context: at(),
  answers: at('answers', 'answer', 'Answer'),
  /** Further correct answers besides `answers`. */
  aliases: at(),
  /** Undefined: the whole column, refused if it is clearly not a comparable answer. */
  answersFrom: undefined as AnswerRule | undefined,
  /** Multiple-choice options: a list, or labels with their texts. */
  options: at('options', 'choices'),
  data_source: at('data_source'),
  /** All paths with a value count. A path also listed in `answers` holds either, depending on the domain. */
  tests: at('tests'),
  /** Tested function, its signature, and code placed before the program, if separate from the tests. */
  func_name: at(),
  starter_code: at(),
  import_prefix: at(),
  /** Id of the task in `tests_from`. */
  question_id: at('question_id', 'id'),
  /** Rows hold megabytes of tests: they are loaded like `tests_from`. */
  hasLongTests: false,
  /** The question follows the last match in its column. */
  questionAfter: /^/g,
  /** Removed from the question: the data set's own answer format. */
  questionTail: /$^/,
  /** Columns of the question, each appended under its heading. */
  sections: [] as readonly { readonly heading: string; readonly path: string }[],
  /** Key text of encrypted questions and answers. */
  canary: at('canary', 'Canary'),
  /** True if a row with a canary must be encrypted; otherwise it is decrypted if its question is Base64. */
  isEncrypted: false,
  /** Columns whose value may mark a row as unusable. */
  refusals: [] as readonly Refusal[],
  /** Columns not kept with the task: megabytes of solutions, images. */
  left_out: at(),
  /** Long columns outside the question, besides those that `accountColumns.ts` recognises by name. */
  meta: at(),
  ignore: at(),
  /** Ids restart at 0 in each file, so the data source is prefixed. */
  idWithSource: false,
};
export type TaskLayout = Readonly<typeof genericLayout>;

export interface Refusal {
  readonly path: string;
  readonly when: (value: JsonValue) => boolean;
  readonly why: string;
}

/** Reasons why a row is not a task. Reasons other than `unusable` name the rule or key that would read it. */
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

export class TaskRowError extends Error {
  readonly code: TaskProblem;

  constructor(message: string, code: TaskProblem = 'unusable') {
    super(message);
    this.code = code;
  }
}

const placeholder = /\{([^{}]+)\}/g;

/** Columns of a template such as `{Body} {Question}`; a path without braces is its own column. */
export function columnsOf(path: string): readonly string[] {
  const named = [...path.matchAll(placeholder)].map(([, name]) => name!);
  return named.length > 0 ? named : [path];
}

function filled(row: JsonObject, template: string): JsonValue | undefined {
  const values = columnsOf(template).map((name) => valueAt(row, name) ?? null);
  if (values.includes(null)) return undefined;
  const other = values.find((value) => typeof value !== 'string' && typeof value !== 'number');
  return other ?? template.replace(placeholder, (_, name: string) => String(valueAt(row, name))).trim();
}

/** First value found by these paths or templates; null counts as missing. */
export function findIn(row: JsonObject, paths: readonly string[]): JsonValue | undefined {
  const values = paths
    .values()
    .map((path) => (columnsOf(path)[0] === path ? valueAt(row, path) : filled(row, path)));
  return values.find((value) => value !== undefined && value !== null);
}

/** Column that {@link findIn} reads, for messages; all of them if none has a value. */
export function columnOf(row: JsonObject, paths: readonly string[]): string {
  return `column ${paths.find((path) => findIn(row, [path]) !== undefined) ?? paths.join(' or ')}`;
}

/** Columns and paths that a layout reads or ignores. */
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

/** Truncated value for messages. */
export function shown(value: JsonValue): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : JSON.stringify(value).slice(0, 60);
}

/** Available columns and the key that selects one. */
export function otherColumns(row: JsonObject, key: 'question' | 'answers' | 'tests'): string {
  const names = Object.keys(row).map((name) => JSON.stringify(name));
  if (names.length === 0) return '; the row has no columns';
  return `; the row has ${names.join(', ').slice(0, 200)}: name the right one with columns.${key}, or its layout with preset`;
}
