import type { JsonObject } from '../../base/json.ts';
import { dropRecord } from '../../contract/stage.ts';
import type { DecontaminateConfig } from '../../schemas/config/decontaminate.ts';
import type { QuestionDedupConfig, TrajectoryDedupConfig } from '../../schemas/config/dedup.ts';
import { qualityScore } from '../../schemas/qualityScore.ts';
import { normaliseQuestion } from '../../schemas/questionKey.ts';
import { type DatasetRow, isProblem } from '../../schemas/rows/datasetRow.ts';
import { qualitySchema } from '../../schemas/trajectory.ts';
import { createDecontaminateStage } from '../../stages/decontaminate/createDecontaminateStage.ts';
import { comparedQuestion } from '../../stages/dedup/askedQuestion.ts';
import { type DuplicateRules, dropDuplicates } from '../../stages/dedup/dropDuplicates.ts';
import type { DuplicateIndexOptions } from '../../stages/dedup/index/duplicateIndex.ts';
import type { RowRecord, RowStage } from './rowStage.ts';
import {
  boundedText,
  type QuestionOptions,
  qualityColumn,
  rowId,
  rowIdentity,
  rowQuestion,
  rowSaid,
  rowValue,
  type SourceRow,
} from './sourceRow.ts';

/** What is compared, and how alike it must be. */
export type Comparison =
  | { readonly of: 'question'; readonly config: QuestionDedupConfig }
  | { readonly of: 'trajectory'; readonly config: TrajectoryDedupConfig };

interface DedupRowsOptions extends QuestionOptions {
  readonly comparison: Comparison;
  /** Where what memory has no room for goes. */
  readonly spillFolder: string;
}

interface ComparedRow extends RowRecord, ComparedText {
  /** An id that tells it from equal rows. */
  readonly placed: string;
}

/** Two rows of nearly the same question, of which one stays. */
export interface NearPair {
  readonly kept: string;
  readonly dropped: string;
  /** Share of their shingles that both have. */
  readonly jaccard: number;
}

/** Pairs that are shown. */
const MAX_NEAR_PAIRS = 3;

/** Digits of a row's place, so that places sort as text. */
const PLACE_DIGITS = 12;

/**
 * The stage `dedup` on rows: keeps one of each cluster of exact and near duplicates, the one of the highest quality,
 * and of equals the one with the least id. Which that is depends neither on the order of the rows nor on the files that
 * they stand in.
 */
export function dedupRows(
  options: DedupRowsOptions,
): RowStage<ComparedRow> & { readonly nearPairs: readonly NearPair[] } {
  const { comparison, spillFolder } = options;
  const { shingle, min_jaccard: threshold } = comparison.config;
  const index = { shingle, threshold, spillFolder };
  const nearPairs: NearPair[] = [];
  return {
    nearPairs,
    kind: 'corpus',
    isStreaming: false,
    stage: {
      run: (rows, { signal }) => dropDuplicates(rows, duplicateRules(comparison, index, nearPairs), signal),
    },
    read(row) {
      const identity = rowIdentity(row);
      const compared = comparedText(row, comparison.of, options);
      return { record: { ...identity, ...compared, placed: placedId(identity.id, row) } };
    },
  };
}

/** @param nearPairs where the first pairs that are not equal go */
function duplicateRules(
  comparison: Comparison,
  index: DuplicateIndexOptions,
  nearPairs: NearPair[],
): DuplicateRules<ComparedRow> {
  const reason = comparison.of === 'trajectory' ? 'duplicate_trajectory' : 'near_duplicate_question';
  const sameNumbers = comparison.of === 'trajectory' || comparison.config.same_numbers;
  return {
    index,
    describe({ placed: id, text, question, answers, quality, profile }) {
      return { id, quality, ...comparedQuestion({ question, answers, sameNumbers }, { text, profile }) };
    },
    drop({ place, keptPlace, questionAt }, { kept_id, ...rest }) {
      const [kept, dropped] = [questionAt(keptPlace), questionAt(place)];
      const evidence = { ...keptRow(String(kept_id)), ...rest };
      if (normaliseQuestion(kept) !== normaliseQuestion(dropped)) {
        if (nearPairs.length < MAX_NEAR_PAIRS)
          nearPairs.push({ kept, dropped, jaccard: Number(rest.jaccard) });
      } else if (comparison.of === 'question') return dropRecord('duplicate_question', evidence);
      return dropRecord(reason, evidence);
    },
  };
}

/** An id that no other row has: rows that name the same id differ in what they hold, and equal rows in their places. */
function placedId(id: string, row: SourceRow): string {
  return `${id} ${rowId(row)} ${String(row.index).padStart(PLACE_DIGITS, '0')}`;
}

/** The row that stays, for the evidence. */
function keptRow(placed: string) {
  const named = placed.slice(0, placed.lastIndexOf(' ', placed.lastIndexOf(' ') - 1));
  return { kept_id: named, kept_index: Number(placed.slice(-PLACE_DIGITS)) };
}

interface ComparedText {
  readonly text: string;
  readonly question: string;
  /** Gold answers that the row names; empty where it names none. */
  readonly answers: readonly string[];
  /** The profile of a trajectory, where the row names it; empty for questions. */
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
  const question = rowQuestion(row, options);
  const compared = { question, answers: goldAnswers(row), quality: qualityOf(value) };
  if (of === 'question') return { ...compared, text: question, profile: '' };
  const written = boundedText(modelText(rowSaid(row, 'answer')), 'trajectory');
  const profile = typeof value.profile === 'string' ? value.profile : '';
  return { ...compared, text: `${question}\n${written}`, profile };
}

/** A longer text is a solution, which differs for equal answers. */
const MAX_ANSWER_CHARS = 200;

function goldAnswers({ said }: SourceRow): string[] {
  const gold = isProblem(said) ? [] : said.gold;
  return gold.filter((answer) => answer.trim() !== '' && answer.length <= MAX_ANSWER_CHARS);
}

/** Of a pair both sides count. */
function modelText({ format, text, pieces, pair }: DatasetRow): string {
  if (pair) return `${modelText(pair.chosen)}\n${modelText(pair.rejected)}`;
  if (format !== 'trajectory') return withoutObservations(text ?? '');
  const own = pieces.filter(({ origin }) => origin === 'model');
  return own.map((piece) => piece.text).join('\n');
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

interface AskedRow extends RowRecord {
  readonly question: string;
}

/** The stage `decontaminate` on rows: drops those whose question stands in a benchmark. */
export function decontaminateRows(
  options: QuestionOptions & { readonly config: DecontaminateConfig },
): RowStage<AskedRow> {
  return {
    kind: 'corpus',
    isStreaming: true,
    stage: createDecontaminateStage(options.config),
    read: (row) => ({ record: { ...rowIdentity(row), question: rowQuestion(row, options) } }),
  };
}
