import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { alpacaCodec } from './alpaca.ts';
import { axolotlSegmentsCodec } from './axolotlSegments.ts';
import { chatMessagesCodec } from './chatTurns.ts';
import { type DatasetRow, isProblem, type RowFormatName, type RowProblem } from './datasetRow.ts';
import { preferenceCodec } from './preference.ts';
import { promptCompletionCodec, promptPieces } from './promptCompletion.ts';
import { firstText, type RowCodec, rowOfPieces, unreadColumns } from './rowCodec.ts';
import { shareGptCodec } from './shareGpt.ts';
import { tokensCodec } from './tokens.ts';
import { trajectoryCodec } from './trajectory.ts';

const columns = ['question', 'Question', 'problem', 'query', 'prompt', 'task'] as const;

/** Rows with only a question: tasks, benchmarks, and prompts for RL such as verl's. */
const questionCodec: RowCodec = {
  name: 'question',
  columns: columns.join(', '),
  reads: columns,
  recognises: (raw) => Array.isArray(raw.prompt) || firstText(raw, columns) !== null,
  read(raw) {
    const turns = Array.isArray(raw.prompt) ? promptPieces(raw.prompt) : [];
    if ('problem' in turns) return turns;
    const row = rowOfPieces(raw, 'question', 'nothing', turns);
    return {
      ...row,
      text: null,
      answer: null,
      question: turns.length > 0 ? row.question : firstText(raw, columns),
    };
  },
};

/** Codecs in order of recognition: those with more columns first. */
export const codecTable: readonly RowCodec[] = [
  trajectoryCodec,
  preferenceCodec,
  tokensCodec,
  shareGptCodec,
  chatMessagesCodec,
  axolotlSegmentsCodec,
  alpacaCodec,
  promptCompletionCodec,
  questionCodec,
];

/** Layouts with an answer, as text for messages. */
export const answerColumns = codecTable
  .filter(({ name }) => name !== 'question')
  .map(({ columns }) => columns)
  .join('; ');

/** Content of a row, or the reason why it is unreadable, including two layouts with different content. */
export function readDatasetRow(value: JsonValue): DatasetRow | RowProblem {
  if (!isJsonObject(value))
    return { path: '', code: 'unknown_layout', problem: `expected an object with ${answerColumns}` };
  const codec = codecTable.find((one) => one.recognises(value));
  if (codec) return rivalOf(codec, value) ?? codec.read(value);
  const names = Object.keys(value).slice(0, 8).join(', ') || '(none)';
  return {
    path: '',
    code: 'unknown_layout',
    problem: `expected ${answerColumns}; found the columns ${names}`,
  };
}

/** Unread columns of a dataset row. */
export function unreadOf({ format }: DatasetRow, row: JsonObject): string[] {
  return unreadColumns(row, codecTable.find(({ name }) => name === format)!.reads);
}

/** Single-answer text layouts, none of which reads another's columns. */
const rivals: ReadonlySet<RowFormatName> = new Set(['sharegpt', 'messages', 'alpaca', 'prompt_completion']);

function rivalOf(codec: RowCodec, value: JsonObject): RowProblem | undefined {
  if (!rivals.has(codec.name)) return undefined;
  const others = codecTable.filter(
    (other) => other !== codec && rivals.has(other.name) && other.recognises(value),
  );
  const texts = others.map((other) => other.read(value)).map((read) => (isProblem(read) ? null : read.text));
  const read = others.length > 0 ? codec.read(value) : undefined;
  if (!read || isProblem(read) || texts.every((text) => text === read.text)) return undefined;
  const found = [codec, ...others].map(({ columns }) => columns).join(' and ');
  const problem = `expected one layout, found ${found}, which say different things; leave one out`;
  return { path: '', code: 'ambiguous_layout', problem };
}

/** Requirement of a command on rows. */
export type RowNeed = 'question' | 'answer' | 'one_answer';

/** Reason why a command cannot use a row, in the same words for all commands; undefined if it can. */
export function unfitFor(need: RowNeed, row: DatasetRow): RowProblem | undefined {
  if (need !== 'question' && row.maskedBy === 'nothing')
    return {
      path: '',
      code: 'no_answer',
      problem: `expected a row with an answer (${answerColumns}), found only a question`,
    };
  if (need === 'one_answer' && row.pair)
    return {
      path: 'chosen',
      code: 'is_pair',
      problem: 'expected one answer a row, found a pair of chosen and rejected',
    };
  if (need === 'one_answer' && row.isUndesirable)
    return { path: 'label', code: 'undesirable', problem: 'expected an answer to learn, found label: false' };
  return undefined;
}

/** Answers of a row: one, or both sides of a pair, chosen first. A row with only a question is a problem. */
export function readAnswers(value: JsonValue): readonly (DatasetRow | RowProblem)[] {
  const read = readDatasetRow(value);
  if (isProblem(read)) return [read];
  const problem = unfitFor('answer', read);
  if (problem) return [problem];
  return read.pair ? [read.pair.chosen, read.pair.rejected] : [read];
}
