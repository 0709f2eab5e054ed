import type { JsonObject } from '../../base/json.ts';
import { dropRecord } from '../../contract/stage.ts';
import type { DecontaminateConfig } from '../../schemas/config/decontaminate.ts';
import type { TrajectoryDedupConfig } from '../../schemas/config/dedup.ts';
import { qualityScore } from '../../schemas/qualityScore.ts';
import { type DatasetRow, isProblem } from '../../schemas/rows/datasetRow.ts';
import { qualitySchema } from '../../schemas/trajectory.ts';
import { createDecontaminateStage } from '../../stages/dedup/createDecontaminateStage.ts';
import { type ComparedRecord, dropDuplicates } from '../../stages/dedup/dropDuplicates.ts';
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

interface DedupRowsOptions extends QuestionOptions {
  readonly of: 'question' | 'trajectory';
  readonly config: TrajectoryDedupConfig;
  readonly spillFolder: string;
}

interface ComparedRow extends RowRecord {
  readonly compared: ComparedRecord;
}

/** Digits of a row index, zero-padded for text sorting. */
const PLACE_DIGITS = 12;

/**
 * Stage `dedup` for rows: keeps one row per question, or per cluster of near-duplicate trajectories: the one with the
 * highest quality, ties by lowest id. Independent of row and file order.
 */
export function dedupRows(options: DedupRowsOptions): RowStage<ComparedRow> {
  const { of, config, spillFolder } = options;
  const rules = {
    index: { shingle: config.shingle, threshold: config.min_jaccard, spillFolder },
    describe: ({ compared }: ComparedRow) => compared,
    drop({ kept_id, jaccard, cluster_size }: JsonObject) {
      const evidence = { ...keptRow(String(kept_id)), cluster_size: cluster_size! };
      return of === 'question'
        ? dropRecord('duplicate_question', evidence)
        : dropRecord('duplicate_trajectory', { ...evidence, jaccard: jaccard! });
    },
  };
  return {
    kind: 'corpus',
    isStreaming: false,
    stage: { run: (rows, { signal }) => dropDuplicates(rows, rules, signal) },
    read(row) {
      const identity = rowIdentity(row);
      const id = placedId(identity.id, row);
      return { record: { ...identity, compared: { id, ...comparedText(row, of, options) } } };
    },
  };
}

/** Unique id: rows with the same id get their content hash and index added. */
function placedId(id: string, row: SourceRow): string {
  return `${id} ${rowId(row)} ${String(row.index).padStart(PLACE_DIGITS, '0')}`;
}

/** Kept row, for the evidence. */
function keptRow(placed: string) {
  const named = placed.slice(0, placed.lastIndexOf(' ', placed.lastIndexOf(' ') - 1));
  return { kept_id: named, kept_index: Number(placed.slice(-PLACE_DIGITS)) };
}

const opening = '<observation>';
const closing = '</observation>';

/**
 * Text to compare: a row's question, or the question with the model's text. Excludes tool outputs, since different
 * trajectories may read the same pages. Throws `BadRow` without one.
 */
function comparedText(
  row: SourceRow,
  of: 'question' | 'trajectory',
  options: QuestionOptions,
): Omit<ComparedRecord, 'id'> {
  const value = rowValue(row);
  const question = rowQuestion(row, options);
  const asked = { question, answers: goldAnswers(row), quality: qualityOf(value) };
  if (of === 'question') return { ...asked, text: '' };
  const written = boundedText(modelText(rowSaid(row, 'answer')), 'trajectory');
  const group = typeof value.profile === 'string' ? value.profile : '';
  return { ...asked, text: `${question}\n${written}`, group };
}

/** Maximum length of an answer; a longer text is a solution, which differs for equal answers. */
const MAX_ANSWER_CHARS = 200;

function goldAnswers({ said }: SourceRow): string[] {
  const gold = isProblem(said) ? [] : said.gold;
  return gold.filter((answer) => answer.trim() !== '' && answer.length <= MAX_ANSWER_CHARS);
}

/** Uses both sides of a pair. */
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

/** Text after an observation; empty if it does not end. */
function afterClosing(part: string): string {
  const end = part.indexOf(closing);
  return end < 0 ? '' : part.slice(end + closing.length);
}

interface AskedRow extends RowRecord {
  readonly question: string;
}

/** Stage `decontaminate` for rows: drops rows with a benchmark question. */
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
