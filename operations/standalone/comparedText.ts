import { isJsonObject, type JsonObject } from '../../base/json.ts';
import type { RowText } from '../../output/lint/read/rowText.ts';
import { qualityScore } from '../../schemas/qualityScore.ts';
import { qualitySchema } from '../../schemas/trajectory.ts';
import { boundedText } from './boundedText.ts';
import { qualityColumn } from './rowNumber.ts';
import { type QuestionOptions, rowQuestion } from './rowQuestion.ts';
import { rowTrajectoryText, rowValue } from './rowValue.ts';
import type { SourceRow } from './sourceRow.ts';

/** What of a row is compared with others. */
export interface ComparedText {
  readonly text: string;
  /** The profile that the row names; empty where it names none. */
  readonly profile: string;
  /** Of duplicates the one of the highest quality stays. */
  readonly quality: number;
}

const opening = '<observation>';
const closing = '</observation>';

/**
 * A row's question, or its question and what the model wrote: what tools showed is left out, for trajectories may well
 * have read the same pages. Throws `BadRow` for a row that has none.
 */
export function comparedText(
  row: SourceRow,
  of: 'question' | 'trajectory',
  options: QuestionOptions,
): ComparedText {
  const value = rowValue(row);
  const question = rowQuestion(value, options);
  const profile = typeof value.profile === 'string' ? value.profile : '';
  const quality = qualityOf(value);
  if (of === 'question') return { text: question, profile, quality };
  const written = boundedText(modelText(value, rowTrajectoryText(row)), 'trajectory');
  return { text: `${question}\n${written}`, profile, quality };
}

function modelText({ segments }: JsonObject, { layout, text }: RowText): string {
  if (layout !== 'trajectory' || !Array.isArray(segments)) return withoutObservations(text);
  const own = segments.filter(isJsonObject).filter(({ origin }) => origin === 'model');
  return own.map((segment) => String(segment.text)).join('\n');
}

function withoutObservations(text: string): string {
  const parts = text.split(opening);
  const [first = '', ...others] = parts;
  return [first, ...others.map((part) => afterClosing(part))].join('\n');
}

function qualityOf(value: JsonObject): number {
  const quality = qualitySchema
    .pick({ verdicts: true, redundant_tool_inputs: true })
    .safeParse(value.quality);
  return quality.success ? qualityScore(quality.data) : qualityColumn(value);
}

/** What follows an observation; nothing where it does not end. */
function afterClosing(part: string): string {
  const end = part.indexOf(closing);
  return end < 0 ? '' : part.slice(end + closing.length);
}
