import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { withoutPath } from '../columnPath.ts';
import type { RecordTests } from '../task.ts';
import { synthesisSchema } from '../taskSynthesis.ts';
import { findIn, readPaths, shown, type TaskLayout, TaskRowError } from './taskLayout.ts';
import { optionsOf, questionIn, questionSections } from './taskQuestion.ts';

/** Words in the names of columns that belong to no question. */
const metaWords: ReadonlySet<string> = new Set(
  [
    'id ids idx index uid uuid qid hash name title source src origin dataset split subset url urls link links website',
    'difficulty level grade rating type category subject topic topics domain field tag tags skill skills language lang',
    'license date time year created updated author authors annotator annotators metadata meta info version canary model',
    'solution solutions rationale rationales explanation explanations reason reasons reasoning cot thought thoughts think',
    'analysis proof steps hint hints response responses completion completions output outputs generation generations',
    'generated prediction predictions predicted answer answers gold golden label labels target targets truth reference',
    'references canonical code program programs equation equations formula formulas derivation decomposition evidence',
    'evidences facts supporting editorial feedback comment comments review messages conversation conversations trajectory',
    'trajectories trace embedding score scores reward rewards starter template test tests',
  ].flatMap((line) => line.split(' ')),
);

/** Words that mark a column as possible context despite another word: `source_passage`. */
const contextWords: ReadonlySet<string> = new Set(
  'context passage paragraph story body article snippet premise situation scenario'.split(' '),
);

/**
 * Column with two meanings: text is a hint that the question needs (BIRD), a list cites passages
 * that prove the answer.
 */
const NOTE = 'evidence';

/** Decides by the last name of the path or by the enclosing column. */
function isMeta(path: string, isText: boolean): boolean {
  const [column, ...inside] = path.split('.');
  const isMetaName = (name: string) => {
    const words = wordsOf(name).filter((word) => !(isText && word === NOTE));
    return words.some((word) => metaWords.has(word)) && !words.some((word) => contextWords.has(word));
  };
  return [column!, ...inside.slice(-1)].some(isMetaName);
}

/** True if the column's name marks it as part of the question, however short its texts are. */
function isContext(path: string): boolean {
  return wordsOf(path).some((word) => word === NOTE || contextWords.has(word));
}

/** Splits `problemText_v2` into `problem`, `text` and `v2`. */
function wordsOf(column: string): string[] {
  return column
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
}

/**
 * Minimum length, in characters, of an unread text that is reported for being longer than the
 * question or context.
 */
const MIN_BESIDE_SHORTER = 30;
const MIN_LONG = 200;

/**
 * Names the columns that a layout leaves unread although they may belong to the question: their texts differ from row to
 * row, and are long or longer than the question. A text that the question says, or that says no more than the question
 * in a frame of its own, counts as read.
 *
 * @param found first rows of a file
 */
export function unreadColumns(found: readonly JsonObject[], layout: TaskLayout): string[] {
  const rows = found.map(withoutOwnRecord);
  const known = new Set([...readPaths(layout), ...layout.meta, ...layout.ignore]);
  const asked = rows.flatMap((row) => questionOrNone(row, layout) ?? []);
  const questionChars = median(asked.map(({ question }) => question.length));
  const leaves = rows.flatMap((row) => leavesOf(row).map(({ path }) => path));
  const others = leaves.filter((path) => !isKnown(path, new Set(layout.options)));
  const letters = [...new Set(others)].filter(
    (path) => !isKnown(path, known) && holdsLetters(path, asked, layout),
  );
  const ofLetters = letters.map(
    (path) =>
      `column ${path} is not read: it holds the letters of options that the question writes out, the answers do not: write columns: { aliases: ${path} } for both to be right, else columns: { ignore: [${path}] }`,
  );
  const ofTexts = [...layout.options, ...new Set(others)].flatMap((path) => {
    const isOptions = layout.options.includes(path);
    if (isKnown(path, known)) return [];
    const cellIn = (row: JsonObject) =>
      isOptions ? optionsOf(row, [path]).map(({ text }) => text) : findIn(row, [path]);
    const cells = asked
      .map(({ row, question }) => ({ cell: cellIn(row), question, gold: findIn(row, layout.answers) }))
      .filter(({ cell, gold }) => typeof cell !== 'string' || cell !== gold);
    const isText = cells.every(({ cell }) => [cell ?? []].flat().every((item) => typeof item === 'string'));
    if (!isOptions && isMeta(path, isText)) return [];
    const texts = cells.flatMap(({ cell, question }) => unreadText(cell, question) ?? []);
    const chars = median(texts.map((text) => text.length));
    const isBeside = chars >= MIN_BESIDE_SHORTER && (chars > questionChars || isContext(path));
    if (texts.length < 2 || new Set(texts).size < 2 || !(isBeside || chars >= MIN_LONG)) return [];
    const key = isOptions ? 'answers: { from: option }' : `columns: { context: ${path} }`;
    const what = isText
      ? `write ${key}`
      : 'write it as text into a column of its own, named by columns.context,';
    return `column ${path} is not read: its text differs from row to row and has ${chars} characters, the question ${questionChars} (medians): ${what} if it belongs to the question, else columns: { ignore: [${path}] }`;
  });
  return [...ofTexts, ...ofLetters];
}

/** A row without the record of how `synthesize` made it, which is kept with the task. */
function withoutOwnRecord(row: JsonObject): JsonObject {
  return synthesisSchema.safeParse(row.synthesis).success ? withoutPath(row, 'synthesis') : row;
}

const answerWords: ReadonlySet<string> = new Set(
  'answer answers label choice option correct gold key target letter'.split(' '),
);

/** True if a column names the letter of the correct option while the answers give its text. */
function holdsLetters(path: string, asked: readonly AskedRow[], { answers }: TaskLayout): boolean {
  if (!wordsOf(path).some((word) => answerWords.has(word))) return false;
  const cells = asked
    .map(({ row, question }) => ({ cell: findIn(row, [path]) ?? '', gold: findIn(row, answers), question }))
    .filter(({ cell }) => cell !== '');
  if (!cells.every(({ cell }) => typeof cell === 'string' && /^[A-J]$/.test(cell))) return false;
  const offered = cells.filter(({ cell, question }) =>
    new RegExp(`(?:^|[\\s(（])${String(cell)}[.．、:：)）]`).test(question),
  );
  return offered.length * 2 > cells.length && cells.some(({ cell, gold }) => cell !== gold);
}

/** Columns of a row; nested columns by their paths. */
function leavesOf(row: JsonObject, before = ''): { readonly path: string; readonly cell: JsonValue }[] {
  return Object.entries(row).flatMap(([name, cell = null]) => {
    const path = `${before}${name}`;
    return isJsonObject(cell) ? leavesOf(cell, `${path}.`) : [{ path, cell }];
  });
}

/** True if a layout reads the column, a parent of it or a part of it. */
function isKnown(path: string, known: ReadonlySet<string>): boolean {
  return [...known].some(
    (each) => each === path || path.startsWith(`${each}.`) || each.startsWith(`${path}.`),
  );
}

interface AskedRow {
  readonly row: JsonObject;
  readonly question: string;
}

function questionOrNone(row: JsonObject, layout: TaskLayout): AskedRow | undefined {
  try {
    const question = [questionIn(row, layout), ...questionSections(row, layout)].join('\n\n');
    return { row, question };
  } catch (error) {
    if (error instanceof TaskRowError) return undefined;
    throw error;
  }
}

/** Text and numbers of a cell without the question; undefined if nothing remains. */
function unreadText(cell: JsonValue | undefined, question: string): string | undefined {
  const items = textsIn(cell ?? []);
  if (items.length === 0 || items.every((item) => question.includes(item.trim()))) return undefined;
  return items.join('\n').replace(question, '').trim();
}

/** Returns nothing for a bare number or boolean. */
function textsIn(cell: JsonValue): string[] {
  if (typeof cell === 'string') return [cell];
  if (typeof cell !== 'object' || cell === null) return [];
  const items = Object.values(cell) as JsonValue[];
  return items.flatMap((item) => (typeof item === 'number' ? [String(item)] : textsIn(item)));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

const imageWords: ReadonlySet<string> = new Set(
  'image images img imgs picture pictures photo photos screenshot diagram figure figures'.split(' '),
);
/** Column names that describe an image in text or numbers. */
const aboutImages: ReadonlySet<string> = new Set(
  'caption captions description descriptions alt text ocr num count has is id width height'.split(' '),
);

/** Throws {@link TaskRowError} for a row with an image, unless the layout ignores its column. */
export function assertNoImage(row: JsonObject, layout: TaskLayout): void {
  const known = new Set([...readPaths(layout), ...layout.ignore]);
  const found = leavesOf(row).find(({ path, cell }) => !isKnown(path, known) && isImage(path, cell));
  if (found === undefined) return;
  const { path, cell } = found;
  throw new TaskRowError(
    `the task needs an image, which a teacher is not given (column ${path} is ${shown(cell)}); write columns: { ignore: [${path}] } if it can be solved without`,
    'image',
  );
}

function isImage(column: string, value: JsonValue | undefined): boolean {
  const words = wordsOf(column.split('.').at(-1)!);
  if (!words.some((word) => imageWords.has(word)) || words.some((word) => aboutImages.has(word)))
    return false;
  return [value ?? []]
    .flat()
    .some((item) => (typeof item === 'string' ? item !== '' : typeof item === 'object'));
}

/** Python functions that may wrap the tested call in an assertion. */
const builtins: ReadonlySet<string> = new Set(
  'abs all any bool dict float frozenset int isinstance len list map max min next not range repr round set sorted str sum tuple type zip'.split(
    ' ',
  ),
);

/**
 * Functions that the tests call: the one named by the row, or those in the first check. Empty if
 * the check is not a plain assertion.
 */
function calledIn(tests: RecordTests | undefined): readonly string[] {
  if (!tests || tests.kind === 'stdin') return [];
  if (tests.func_name !== undefined) return [tests.func_name];
  const [check = ''] = tests.kind === 'functional' ? tests.checks : [];
  const [, call] = /^(?:result\s*=|assert\b)(.*)/m.exec(check) ?? [];
  return [...(call ?? '').matchAll(/([A-Za-z_]\w*)\(/g)]
    .map(([, name]) => name!)
    .filter((name) => !builtins.has(name) && name !== 'Solution');
}

interface TestedColumns {
  readonly where: string;
  /** Column with a list of tests; undefined without one. */
  readonly listed?: string | undefined;
}

/** Throws {@link TaskRowError} if the question does not name the function under test. */
export function assertNamesFunction(
  question: string,
  tests: RecordTests | undefined,
  { where, listed }: TestedColumns,
): void {
  const called = calledIn(tests);
  const words = new Set(question.toLowerCase().split(/\W+/));
  // A name that is not an identifier is searched for literally.
  const isNamed = (name: string) =>
    words.has(name) || (/\W/.test(name) && question.toLowerCase().includes(name));
  if (called.length === 0 || called.some((name) => isNamed(name.toLowerCase()))) return;
  const shownTests = listed === undefined ? '' : `, or show the tests with columns: { context: ${listed} }`;
  throw new TaskRowError(
    `the question (${where}) does not name ${called.join(' or ')}, which the tests call; name the right column with columns.question, several as '{a} {b}'${shownTests}`,
    'function_not_named',
  );
}
