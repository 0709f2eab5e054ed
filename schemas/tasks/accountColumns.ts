import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { RecordTests } from '../task.ts';
import { readPaths, shown, type TaskLayout, TaskRowError } from './taskLayout.ts';
import { questionIn, questionSections } from './taskQuestion.ts';

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

/** Words in the names of columns that may belong to a question in spite of another word: `source_passage`. */
const contextWords: ReadonlySet<string> = new Set(
  'context passage paragraph story body article snippet premise situation scenario'.split(' '),
);

function isMeta(column: string): boolean {
  const words = wordsOf(column);
  return words.some((word) => metaWords.has(word)) && !words.some((word) => contextWords.has(word));
}

/** `problemText_v2` is `problem`, `text` and `v2`. */
function wordsOf(column: string): string[] {
  return column
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
}

/** Characters from which an unread text is named that is longer than the question, or any. */
const MIN_BESIDE_SHORTER = 30;
const MIN_LONG = 200;

/**
 * Names the columns that a layout leaves unread although they may belong to the question: their texts differ from row to
 * row, and are long or longer than the question. A text that the question says, or that says no more than the question
 * in a frame of its own, counts as read.
 *
 * @param rows first rows of a file
 */
export function unreadColumns(rows: readonly JsonObject[], layout: TaskLayout): string[] {
  const known = new Set([...readPaths(layout), ...layout.meta, ...layout.ignore]);
  const asked = rows.flatMap((row) => questionOrNone(row, layout) ?? []);
  const questionChars = median(asked.map(({ question }) => question.length));
  return [...new Set(rows.flatMap(Object.keys))].flatMap((column) => {
    if (known.has(column) || [...known].some((path) => path.startsWith(`${column}.`))) return [];
    const isOptions = layout.options.includes(column);
    if (!isOptions && isMeta(column)) return [];
    const texts = asked.flatMap(({ row, question }) => unreadText(row[column], question) ?? []);
    const chars = median(texts.map((text) => text.length));
    const isLong = chars >= MIN_LONG || (chars >= MIN_BESIDE_SHORTER && chars > questionChars);
    if (texts.length < 2 || new Set(texts).size < 2 || !isLong) return [];
    const key = isOptions ? 'answers: { from: option }' : `columns: { context: ${column} }`;
    return `column ${column} is not read: its text differs from row to row and has ${chars} characters, the question ${questionChars} (medians): write ${key} if it belongs to the question, else columns: { ignore: [${column}] }`;
  });
}

function questionOrNone(row: JsonObject, layout: TaskLayout) {
  try {
    const question = [questionIn(row, layout), ...questionSections(row, layout)].join('\n\n');
    return { row, question };
  } catch (error) {
    if (error instanceof TaskRowError) return undefined;
    throw error;
  }
}

/** The text of a cell without the question; undefined for a cell that is no text or that the question repeats. */
function unreadText(cell: JsonValue | undefined, question: string): string | undefined {
  const items = [cell ?? []].flat();
  if (items.length === 0 || !items.every((item) => typeof item === 'string')) return undefined;
  if (items.every((item) => question.includes(item.trim()))) return undefined;
  return items.join('\n').replace(question, '').trim();
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

const imageWords: ReadonlySet<string> = new Set(
  'image images img imgs picture pictures photo photos screenshot diagram figure figures'.split(' '),
);
/** Words in the names of columns that say something about an image in text or numbers. */
const aboutImages: ReadonlySet<string> = new Set(
  'caption captions description descriptions alt text ocr num count has is id width height'.split(' '),
);

/** Throws {@link TaskRowError} for a row with an image that the layout does not leave out knowingly. */
export function assertNoImage(row: JsonObject, layout: TaskLayout): void {
  const known = new Set([...readPaths(layout), ...layout.ignore]);
  const found = Object.keys(row).find((column) => !known.has(column) && isImage(column, row[column]));
  if (found === undefined) return;
  throw new TaskRowError(
    `the task needs an image, which a teacher is not given (column ${found} is ${shown(row[found]!)}); write columns: { ignore: [${found}] } if it can be solved without`,
    'image',
  );
}

function isImage(column: string, value: JsonValue | undefined): boolean {
  const words = wordsOf(column);
  if (!words.some((word) => imageWords.has(word)) || words.some((word) => aboutImages.has(word)))
    return false;
  return [value ?? []]
    .flat()
    .some((item) => (typeof item === 'string' ? item !== '' : typeof item === 'object'));
}

/** Functions of Python that stand around the tested call in an assertion. */
const builtins: ReadonlySet<string> = new Set(
  'abs all any bool dict float frozenset int isinstance len list map max min next not range repr round set sorted str sum tuple type zip'.split(
    ' ',
  ),
);

/**
 * The functions that tests call: the one that the row names, or those of the first check. None if the check is no plain
 * assertion.
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

/** Throws {@link TaskRowError} for a question that does not name the function that its tests call. */
export function assertNamesFunction(question: string, tests: RecordTests | undefined, where: string): void {
  const called = calledIn(tests);
  const words = new Set(question.toLowerCase().split(/\W+/));
  // A name that is no identifier is looked for as it stands.
  const isNamed = (name: string) =>
    words.has(name) || (/\W/.test(name) && question.toLowerCase().includes(name));
  if (called.length === 0 || called.some((name) => isNamed(name.toLowerCase()))) return;
  throw new TaskRowError(
    `the question (${where}) does not name ${called.join(' or ')}, which the tests call; name the right column with columns.question, several as '{a} {b}'`,
    'function_not_named',
  );
}
