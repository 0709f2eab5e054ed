import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { textList } from '../../base/rows/readCsv.ts';
import { normaliseText } from '../coa/layout.ts';
import { cipherOf, decryptCell, looksEncrypted } from '../decryptCell.ts';
import { pythonTexts } from './pythonTexts.ts';
import { columnOf, findIn, otherColumns, shown, type TaskLayout, TaskRowError } from './taskLayout.ts';

/** Layout parts that determine the question. */
type QuestionLayout = Pick<
  TaskLayout,
  'question' | 'context' | 'questionAfter' | 'questionTail' | 'canary' | 'isEncrypted'
>;

/** Reads a cell of a row, decrypted if the row is. `where` names its column for messages. */
export type CellReader = (cell: string, where: string) => string;

/**
 * Creates the cell reader of a row. A row is encrypted if it has a canary and its question is Base64: the cipher that
 * yields words is used. Throws {@link TaskRowError} if none does.
 */
export function cellReader(row: JsonObject, { question, canary, isEncrypted }: QuestionLayout): CellReader {
  const [asked, password] = [findIn(row, question), findIn(row, canary)];
  if (typeof asked !== 'string' || typeof password !== 'string' || password === '') return (cell) => cell;
  if (!isEncrypted && !looksEncrypted(asked)) return (cell) => cell;
  const cipher = cipherOf(asked, password);
  return (cell, where) => {
    const text = cipher && decryptCell(cell, password, cipher);
    if (text !== undefined) return text;
    const key = `${columnOf(row, canary)}: not Base64, or another key; for plain text take that column out`;
    throw new TaskRowError(`${where}, ${shown(cell)}, can't be decrypted with ${key}`, 'encrypted');
  };
}

/** Question of a row after its context, without sections and options. Throws {@link TaskRowError}. */
export function questionIn(row: JsonObject, layout: QuestionLayout, read = cellReader(row, layout)): string {
  const where = columnOf(row, layout.question);
  const raw = findIn(row, layout.question);
  if (raw === undefined) throw new TaskRowError(`no question (${where})${otherColumns(row, 'question')}`);
  if (typeof raw !== 'string')
    throw new TaskRowError(`the question (${where}) must be a string, found ${shown(raw)}`);
  const question = questionInText(read(raw, where), layout);
  const problem =
    question === undefined ? `lacks ${String(layout.questionAfter)} before the task` : 'is empty';
  if (!question) throw new TaskRowError(`the question (${where}) ${problem}`);
  return [...contextIn(row, layout, read), question].join('\n\n');
}

/** Text before the question; empty if its column is. */
function contextIn(row: JsonObject, { context }: QuestionLayout, read: CellReader): string[] {
  const where = columnOf(row, context);
  return [findIn(row, context) ?? []].flat().flatMap((item) => {
    if (typeof item !== 'string')
      throw new TaskRowError(
        `the context (${where}) must be a string or a list of strings, found ${shown(item)}`,
      );
    return normaliseText(read(item, where)).trim() || [];
  });
}

/** Question without the data set's text before and after it; undefined if that text is missing. */
export function questionInText(
  text: string,
  { questionAfter, questionTail }: QuestionLayout,
): string | undefined {
  const whole = normaliseText(text);
  const marker = [...whole.matchAll(questionAfter)].at(-1);
  const task = marker && whole.slice(marker.index + marker[0].length);
  return task?.replace(questionTail, '').trim();
}

/** Headings and columns of the question, and the options if an answer names one of them. */
export function questionSections(row: JsonObject, { sections, answersFrom, options }: TaskLayout): string[] {
  const texts = sections.flatMap(({ heading, path }) => {
    const text = [findIn(row, [path]) ?? []].flat().join('\n');
    return text.trim() === '' ? [] : [`${heading}\n${normaliseText(text).trim()}`];
  });
  if (answersFrom !== 'option') return texts;
  const lines = optionsOf(row, options).map(({ label, text }) => `${label}. ${text}`);
  return [...texts, `Options:\n${lines.join('\n')}`];
}

interface Option {
  readonly label: string;
  readonly text: string;
}

/**
 * Options of a row: a list (also as JSON or Python text), `{text, label}` of two lists (ARC), or an object of labels
 * and texts (MedQA). Trailing `N/A` pads MMLU-Pro's options to ten and is removed, as its authors do.
 */
export function optionsOf(row: JsonObject, paths: readonly string[]): readonly Option[] {
  const found = findIn(row, paths);
  const value = typeof found === 'string' ? (textList(found) ?? pythonTexts(found)) : found;
  if (isJsonObject(value)) {
    const { text, label } = value;
    if (Array.isArray(text) && Array.isArray(label)) return labelled(text, label.map(String));
    return labelled(Object.values(value) as JsonValue[], Object.keys(value));
  }
  const texts: readonly JsonValue[] = Array.isArray(value) ? value : [];
  const last = texts.findLastIndex((text) => text !== 'N/A');
  return labelled(texts.slice(0, last + 1), [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']);
}

/** `(A)rain` of option A becomes `rain`; undefined for a text without its label. */
function withoutLabel(text: string, label: string): string | undefined {
  const named = [`(${label})`, `${label})`, `${label}.`, `${label}:`].find((begin) => text.startsWith(begin));
  return named === undefined ? undefined : text.slice(named.length).trim();
}

function labelled(texts: readonly JsonValue[], labels: readonly string[]): Option[] {
  if (!texts.every((text) => typeof text === 'string' || typeof text === 'number')) return [];
  const options = texts.map((text, at) => ({
    label: labels[at] ?? String(at + 1),
    text: String(text).trim(),
  }));
  const bare = options.map(({ label, text }) => withoutLabel(text, label));
  return bare.includes(undefined) ? options : options.map(({ label }, at) => ({ label, text: bare[at]! }));
}
