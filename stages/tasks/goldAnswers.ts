import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../base/json.ts';
import { textList } from '../../base/rows/readCsv.ts';
import { lastBoxed } from '../../schemas/coa/answers.ts';
import { normaliseText } from '../../schemas/coa/layout.ts';
import { pythonTexts } from '../../schemas/tasks/pythonTexts.ts';
import {
  type AnswerRule,
  answerRules,
  columnOf,
  findIn,
  shown,
  type TaskLayout,
  type TaskProblem,
  TaskRowError,
} from '../../schemas/tasks/taskLayout.ts';
import { type CellReader, optionsOf, questionIn } from '../../schemas/tasks/taskQuestion.ts';

/**
 * Gold answers as text. Blank ones are dropped: only a blank answer could match them. Throws {@link TaskRowError}.
 */
export function goldAnswers(row: JsonObject, layout: TaskLayout, read: CellReader): string[] {
  const { answersFrom: rule } = layout;
  const where = columnOf(row, layout.answers);
  const stated = answersIn(row, layout.answers, read);
  if (rule === 'option') assertOneOption(stated, row, layout);
  const answers = stated.flatMap((answer) => {
    if (rule === 'option') return optionAnswers(answer, row, layout);
    if (rule !== undefined) return ruled(answer, rule, where);
    const doubt = doubts.find(({ test }) => test(answer)) ?? letterDoubt(answer, row, layout);
    if (!doubt) return [answer];
    const orWhole = doubt.rule === 'whole' ? '' : ', or from: whole';
    const fix = `; write answers: { from: ${doubt.rule} } for ${answerRules[doubt.rule]}${orWhole}`;
    throw new TaskRowError(`the answer (${where}), ${shown(answer)}, ${doubt.what}${fix}`, doubt.code);
  });
  const aliases = layout.aliases.flatMap((path) => answersIn(row, [path], read));
  return [...answers, ...aliases.filter((alias) => !answers.includes(alias))];
}

function answersIn(row: JsonObject, paths: readonly string[], read: CellReader): string[] {
  const value = findIn(row, paths);
  const where = columnOf(row, paths);
  const text = typeof value === 'string' ? read(value, where) : undefined;
  const list = text === undefined ? value : (textList(text) ?? objectless(text, where).split(ALIAS_MARK));
  return [list ?? []].flat().flatMap((item) => plainText(item, `the answer (${where})`) ?? []);
}

/** Separator of alternative answers in rows of DeepResearcher. */
const ALIAS_MARK = '<|answer_split|>';

/** Maximum length of an answer; longer texts are reports or essays, which no rule can compare. */
const MAX_ANSWER_CHARS = 2000;

/** Rejects tests given as an answer: as text nothing would ever match them. */
function objectless(text: string, where: string): string {
  const parsed = /^\s*\{\s*"/.test(text) ? safeParseJson(text) : undefined;
  if (!parsed?.ok || !isJsonObject(parsed.value)) return text;
  throw new TaskRowError(
    `the answer (${where}) is a JSON object, ${shown(text)}; name the column in it with columns.answers, or use a profile of programs if it has tests`,
  );
}

/** Trimmed NFC text of a text or number; undefined if missing. `what` names it in messages. */
export function plainText(value: JsonValue | undefined, what: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new TaskRowError(`${what} must be a string or a number, found ${shown(value)}`);
  return normaliseText(String(value)).trim() || undefined;
}

type TextRule = Exclude<AnswerRule, 'option'>;

/** Extraction by rule; undefined or blank without an answer. */
const readings: Readonly<Record<TextRule, (text: string) => readonly (string | undefined)[] | undefined>> = {
  whole: (text) => [text],
  // Commas are removed, as in `extract_answer` of grade-school-math.
  hashes: (text) => [/####([^#]*)$/.exec(text)?.[1]?.replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')],
  boxed: (text) => [lastBoxed(text)],
  answer_tag(text) {
    const body = /<answer>([^<]*)<\/answer>\s*$/.exec(text)?.[1];
    return [body && (lastBoxed(body) ?? body)];
  },
  before_token: (text) => [text.split(controlToken)[0]],
  python_list: pythonTexts,
};

const controlToken = /<\|(?:endoftext|end_of_text|im_start|im_end|eot_id)\|>|<\/s>$/;

function ruled(text: string, rule: TextRule, where: string): string[] {
  const found = readings[rule](text)?.map((answer) => answer?.trim() ?? '');
  if (found?.every((answer) => answer !== '')) return found;
  const end = JSON.stringify(text.slice(-60));
  throw new TaskRowError(
    `no answer in ${where}: answers.from ${rule} takes ${answerRules[rule]}, found ${end}`,
  );
}

/** Text that is surely not an answer as it is, and the rule that extracts one. */
interface Doubt {
  readonly code: TaskProblem;
  readonly what: string;
  readonly rule: AnswerRule;
}

const doubts: readonly (Doubt & { readonly test: (text: string) => boolean })[] = [
  {
    code: 'rationale',
    what: 'is a rationale with #### before its result',
    rule: 'hashes',
    test: (text) => /^####/m.test(text),
  },
  {
    code: 'rationale',
    what: 'is a rationale with its result in \\boxed{}',
    rule: 'boxed',
    test: isBoxedRationale,
  },
  {
    code: 'python_list',
    what: "is Python's or NumPy's text of a list",
    rule: 'python_list',
    test: (text) => pythonTexts(text) !== undefined,
  },
  {
    code: 'long_answer',
    what: `has more than ${MAX_ANSWER_CHARS.toLocaleString('en')} characters, which no rule finds equal to another text (a model does: judge.text: model)`,
    rule: 'whole',
    test: (text) => text.length > MAX_ANSWER_CHARS,
  },
  {
    code: 'control_token',
    what: 'holds a control token of a tokenizer, which no answer says',
    rule: 'before_token',
    test: (text) => controlToken.test(text),
  },
  {
    code: 'missing_value',
    what: 'is how programs write that a value is missing',
    rule: 'whole',
    test: (text) => /^nan$/i.test(text),
  },
  {
    code: 'query',
    what: 'is a statement of SQL, whose result is the answer: a right one in other words is judged wrong (a model compares them: judge.text: model)',
    rule: 'whole',
    test: (text) => /^(?:SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s.+\sSET|DELETE\s+FROM)\s/s.test(text),
  },
];

/** True if a box has text around it; a box alone, in dollars or not, is an answer. */
function isBoxedRationale(text: string): boolean {
  if (lastBoxed(text) === undefined) return false;
  const start = text.indexOf('\\boxed{');
  const outside = text.slice(0, start) + text.slice(text.lastIndexOf('}'));
  return /[\p{L}\p{N}]/u.test(outside) || text.lastIndexOf('\\boxed{') > start;
}

/** Doubt about an option's letter or place if the question does not list the options. */
function letterDoubt(answer: string, row: JsonObject, layout: TaskLayout): Doubt | undefined {
  if (!/^(?:\(?[A-Za-z][.):]?|\d+)$/.test(answer)) return undefined;
  const offered = optionsOf(row, layout.options);
  const isText = !isNumber(row, layout) && offered.some(({ text }) => text === answer);
  if (isText || offered.every(({ text }) => questionIn(row, layout).includes(text))) return undefined;
  const what = `names one of ${offered.length} options (${columnOf(row, layout.options)}) that the question does not say`;
  return { code: 'letter_of_option', what, rule: 'option' };
}

/** Rejects several options: any of them alone would count as right. */
function assertOneOption(answers: readonly string[], row: JsonObject, layout: TaskLayout): void {
  const labels = [...new Set(answers.map((answer) => optionAnswers(answer, row, layout)[0]))];
  if (labels.length < 2) return;
  const where = columnOf(row, layout.answers);
  throw new TaskRowError(`the answer (${where}) names several options (${labels.join(', ')}); expected one`);
}

/** Option named by an answer: a number by its place from 0, a text by its label, its words or its place. */
function optionAnswers(answer: string, row: JsonObject, layout: TaskLayout): string[] {
  const offered = optionsOf(row, layout.options);
  const label = /^\(?([^()]+?)[.):]?$/.exec(answer)?.[1];
  const placed = /^\d+$/.test(answer) ? offered[Number(answer)] : undefined;
  const named = offered.find((one) => one.label === label) ?? offered.find(({ text }) => text === answer);
  const chosen = isNumber(row, layout) ? placed : (named ?? placed);
  if (!chosen) {
    const names = `none of the ${offered.length} options (${columnOf(row, layout.options)})`;
    throw new TaskRowError(`the answer (${columnOf(row, layout.answers)}), ${shown(answer)}, names ${names}`);
  }
  const isOnly = offered.filter(({ text }) => text === chosen.text).length === 1;
  return [chosen.label, `${chosen.label}. ${chosen.text}`, ...(isOnly ? [chosen.text] : [])];
}

function isNumber(row: JsonObject, { answers }: TaskLayout): boolean {
  return typeof findIn(row, answers) === 'number';
}
