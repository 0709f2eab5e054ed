import { sha256Hex } from '../../base/ids.ts';
import { dropRecord } from '../../contract/stage.ts';
import type { QuestionDedupConfig, TrajectoryDedupConfig } from '../../schemas/config/dedup.ts';
import { normaliseQuestion } from '../../schemas/questionKey.ts';
import { numbersOf } from '../../stages/dedup/createQuestionDedupStage.ts';
import { type DuplicateRules, dropDuplicates } from '../../stages/dedup/dropDuplicates.ts';
import type { DuplicateIndexOptions } from '../../stages/dedup/index/duplicateIndex.ts';
import { type ComparedText, comparedText } from './comparedText.ts';
import type { CorpusCommand, ReadRow, RowIdentity } from './rowCommand.ts';
import { rowId, rowIdentity } from './rowId.ts';
import type { QuestionOptions } from './rowQuestion.ts';
import type { SourceRow } from './sourceRow.ts';

/** What is compared, and how alike it must be. */
export type Comparison =
  | { readonly of: 'question'; readonly config: QuestionDedupConfig }
  | { readonly of: 'trajectory'; readonly config: TrajectoryDedupConfig };

/** What {@link dedupCommand} needs. */
export interface DedupCommandOptions extends QuestionOptions {
  readonly comparison: Comparison;
  /** Where what memory has no room for goes. */
  readonly spillFolder: string;
  readonly signal: AbortSignal;
}

type ComparedRow = RowIdentity & ComparedText;
/** A row under an id that tells it from equal rows. */
type PlacedRow = RowIdentity & { readonly read: ReadRow<ComparedRow> };

/** Digits of a row's place, so that places sort as text. */
const placeDigits = 12;

/**
 * Keeps one row of each cluster of exact and near duplicates: the one of the highest quality, and of equals the one
 * with the least id. Which that is depends neither on the order of the rows nor on the files that they stand in.
 */
export function dedupCommand(options: DedupCommandOptions): CorpusCommand<ComparedRow> {
  const { comparison, spillFolder, signal } = options;
  const { shingle, min_jaccard: threshold } = comparison.config;
  return {
    kind: 'corpus',
    read: (row) => ({ ...rowIdentity(row), ...comparedText(row, comparison.of, options) }),
    async *decide(rows) {
      const placed = new PlacedRows(rows);
      const rules = duplicateRules(comparison, { shingle, threshold, spillFolder });
      for await (const { outcome } of dropDuplicates(placed, rules, signal)) {
        const { row, record } = placed.current;
        const decision = outcome.kind === 'emit' ? ({ kind: 'keep' } as const) : outcome;
        yield { index: row.index, identity: record, row, decision };
      }
    },
  };
}

/** The rows of each reading, and which of them was read last: the one that the next outcome is about. */
class PlacedRows implements AsyncIterable<PlacedRow> {
  readonly #rows: AsyncIterable<ReadRow<ComparedRow>>;
  #current: ReadRow<ComparedRow> | undefined;

  constructor(rows: AsyncIterable<ReadRow<ComparedRow>>) {
    this.#rows = rows;
  }

  get current(): ReadRow<ComparedRow> {
    if (!this.#current) throw new Error('no row was read yet');
    return this.#current;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<PlacedRow> {
    for await (const read of this.#rows) {
      this.#current = read;
      const { id, task_id } = read.record;
      yield { id: placedId(id, read.row), task_id, read };
    }
  }
}

function duplicateRules(comparison: Comparison, index: DuplicateIndexOptions): DuplicateRules<PlacedRow> {
  /** Of each row's question, 16 bytes: what tells equal questions from nearly equal ones. */
  const questions: string[] = [];
  return {
    index,
    describe({ id, read: { record } }) {
      const { text, quality, profile } = record;
      if (comparison.of === 'trajectory') return { id, text, quality, group: profile };
      questions.push(compactHash(normaliseQuestion(text)));
      return { id, text, quality, group: comparison.config.same_numbers ? numbersOf(text) : '' };
    },
    drop(place, kept, { kept_id, ...rest }) {
      const evidence = { ...keptRow(String(kept_id)), ...rest };
      if (comparison.of === 'trajectory') return dropRecord('duplicate_trajectory', evidence);
      const isEqual = questions[place] === questions[kept];
      return dropRecord(isEqual ? 'duplicate_question' : 'near_duplicate_question', evidence);
    },
  };
}

/** An id that no other row has: rows that name the same id differ in what they hold, and equal rows in their places. */
function placedId(id: string, row: SourceRow): string {
  return `${id} ${rowId(row)} ${String(row.index).padStart(placeDigits, '0')}`;
}

/** The row that stays, for the evidence. */
function keptRow(placed: string) {
  const named = placed.slice(0, placed.lastIndexOf(' ', placed.lastIndexOf(' ') - 1));
  return { kept_id: named, kept_index: Number(placed.slice(-placeDigits)) };
}

function compactHash(text: string): string {
  return Buffer.from(sha256Hex(text).slice(0, 32), 'hex').toString('latin1');
}
