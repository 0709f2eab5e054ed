import { stat } from 'node:fs/promises';
import {
  type LineBlock,
  type LineWithin,
  linesWithin,
  readLineBlocks,
} from '../../base/journal/readLineBlocks.ts';
import type { JsonObject } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { type StageName, stageRow } from '../../contract/stageTable.ts';
import type { EndCounts } from '../../operations/report/funnel.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import { Tally } from '../../pipeline/run/tally.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { RecordLine, RetryLine } from '../../schemas/run/journalLines.ts';
import type { ReviewLine } from '../../schemas/run/reviewLine.ts';
import { reviewsByRecord, standingReviews } from '../../stages/review/createReviewStage.ts';
import { readReviews, reviewsPath } from '../../stages/review/reviewFile.ts';
import type { RowChange } from './fields.ts';
import type { RecordFeed } from './liveIndex.ts';
import { ledgerFacts, recordFacts, underWay } from './recordFacts.ts';
import { findJournals, type Journal, type RunJournals, readAt } from './runJournals.ts';

type JournalLine = RecordLine | LedgerEntry | RetryLine;

/** Progress of reading the journals. */
interface FeedPosition {
  /** Stage -> version and hash; a change means other records. */
  readonly stages: Record<string, string>;
  /** Path -> identity, bytes read, and the last of those bytes. */
  readonly files: Record<string, { readonly identity: string; offset: number; end: string }>;
  /** Stage -> outcome counts, kept so that a large run is not read again for each look. */
  readonly ends: Record<string, Tally>;
  damaged: number;
  /** State of the reviews file when it was last read. */
  reviews: string;
}

function newPosition(): FeedPosition {
  return { stages: {}, files: {}, ends: {}, damaged: 0, reviews: '' };
}

/**
 * True if the content read so far is unchanged, so that only new content must be read. Compares file identity and the
 * end of the read part, which detects a journal that was truncated and has grown again, and one that was replaced.
 */
async function goesOn({ stages, files }: FeedPosition, now: RunJournals): Promise<boolean> {
  if (Object.entries(stages).some(([stage, made]) => now.stages[stage] !== made)) return false;
  const byPath = new Map(now.journals.map((journal) => [journal.path, journal]));
  for (const [path, { identity, offset, end }] of Object.entries(files)) {
    const journal = byPath.get(path);
    if (journal?.identity !== identity || journal.size < offset) return false;
    if (end !== '' && (await endBefore(now.runFolder, path, offset)) !== end) return false;
  }
  return true;
}

/** Bytes at the end of a line that identify it: they hold its checksum. */
const END_BYTES = 40;

async function endBefore(runFolder: string, path: string, offset: number): Promise<string> {
  const from = Math.max(0, offset - END_BYTES);
  const found = await readAt(path, from, offset - from, runFolder).catch(() => undefined);
  return found?.toString('latin1') ?? 'removed meanwhile';
}

/** Bytes unread and in total. */
function bytesLeft({ files }: FeedPosition, { journals }: RunJournals): { left: number; all: number } {
  const all = journals.reduce((sum, { size }) => sum + size, 0);
  const read = journals.reduce((sum, { path }) => sum + (files[path]?.offset ?? 0), 0);
  return { left: all - read, all };
}

/**
 * Streams unread lines of a run's journals as row changes, in batches. `position` moves past a line together with its
 * changes.
 */
async function* readRunFeed(
  { runFolder, stages, journals }: RunJournals,
  position: FeedPosition,
): AsyncGenerator<Iterable<readonly RowChange[]>> {
  Object.assign(position.stages, stages);
  for (const journal of journals) {
    const { path, identity, size } = journal;
    const file = position.files[path] ?? { identity, offset: 0, end: '' };
    position.files[path] = file;
    if (file.offset >= size) continue;
    for await (const block of readLineBlocks(path, file.offset, size, runFolder))
      yield changesOfBlock(journal, block, position);
  }
}

function* changesOfBlock(
  journal: Journal,
  block: LineBlock,
  position: FeedPosition,
): Generator<readonly RowChange[]> {
  const file = position.files[journal.path]!;
  position.ends[journal.stage] ??= new Tally();
  const ends = position.ends[journal.stage]!;
  for (const { from, end } of linesWithin(block)) {
    const changes = changesOfLine(journal, block, { from, end }, ends);
    if (!changes) position.damaged++;
    // Advanced before yielding, since a caller may save the position with these changes.
    file.offset = block.offset + end + 1;
    file.end = block.bytes.toString('latin1', Math.max(from, end + 1 - END_BYTES), end + 1);
    if (changes) yield changes;
  }
}

function changesOfLine(
  journal: Journal,
  { bytes, offset }: LineBlock,
  { from, end }: LineWithin,
  ends: Tally,
): RowChange[] | undefined {
  try {
    const line = JSON.parse(bytes.toString('utf8', from, end)) as JournalLine;
    const changes = changesOf(journal, line, offset + from, end - from);
    countEnd(ends, line);
    return changes;
  } catch {
    return undefined;
  }
}

/** Counts an outcome; a retry takes its failure back. */
function countEnd(ends: Tally, line: JournalLine): void {
  if (!('kind' in line)) ends.emitted(line.records.length);
  else if (line.kind === 'drop') ends.dropped(line.reason);
  else if (line.kind === 'fail') ends.failed(line.failure.cause);
  else ends.takeBack(line.cause);
}

function changesOf(journal: Journal, line: JournalLine, offset: number, length: number): RowChange[] {
  const { stage, isLedger, isSource, isImported } = journal;
  const place = { stage, isLedger, offset, length };
  if (isLedger) return [{ ...ledgerChange(journal, line as LedgerEntry | RetryLine), place }];
  const { task_id, input_id, records } = line as RecordLine;
  return (records as JsonObject[]).map((record) => ({
    key: { taskId: String(record.task_id ?? task_id), rollout: Number(record.rollout ?? 0) },
    facts: recordFacts(stage, record),
    place,
    ...(isSource ? { equal: 'begins' as const } : isImported && { input: input_id }),
  }));
}

function ledgerChange(
  { stage, isSource, isImported }: Journal,
  line: LedgerEntry | RetryLine,
): Omit<RowChange, 'place'> {
  const taskId = line.task_id;
  if (line.kind === 'retry') return { key: { taskId, rollout: 0 }, facts: underWay(stage), equal: 'retried' };
  const { reads, writes } = stageRow(stage);
  const equal = isSource ? 'begins' : reads === 'task' && writes === 'task' ? 'ends' : undefined;
  const key = { taskId, rollout: line.rollout ?? 0 };
  return {
    key,
    facts: ledgerFacts(stage, line),
    ...(equal && { equal }),
    ...(isImported && !isSource && { input: line.record_id }),
  };
}

export interface RunFeed extends RecordFeed {
  /** Outcome counts of a stage so far; undefined if it is stale or unread. */
  ends(stage: StageName): EndCounts | undefined;
}

export function createRunFeed(folder: string): RunFeed {
  let position = newPosition();
  return {
    ends: (stage) =>
      position.stages[stage] === undefined ? undefined : (position.ends[stage] ?? new Tally()).counts(0),
    async look() {
      const run = await readRunFile(folder);
      if (!run) throw new UserError(`${folder} no longer holds a run`);
      const journals = await findJournals(folder, run);
      const startsOver = !(await goesOn(position, journals));
      if (startsOver) position = newPosition();
      const reviews = await reviewsState(folder);
      const own = position;
      return {
        startsOver,
        isEmpty: bytesLeft(own, journals).left <= 0 && own.reviews === reviews,
        async *changes() {
          yield* readRunFeed(journals, own);
          // Repeated even if unchanged, since new rows may match.
          if (reviews !== '') yield [await reviewChanges(folder)];
          own.reviews = reviews;
        },
        progress: () => {
          const { left, all } = bytesLeft(own, journals);
          const { problem } = journals;
          return { share: all === 0 ? 1 : 1 - left / all, damaged: own.damaged, problem };
        },
      };
    },
  };
}

/** Changes whenever a review is added; empty without reviews. */
async function reviewsState(folder: string): Promise<string> {
  const found = await stat(reviewsPath(folder)).catch(() => undefined);
  return found ? `${found.ino} ${found.size} ${found.mtimeMs}` : '';
}

/**
 * Review state of every record ever reviewed; a withdrawn review clears it. Empty for a damaged file, which the review
 * page reports.
 */
async function reviewChanges(folder: string): Promise<RowChange[]> {
  const lines = await readReviews(folder, () => {}).catch(() => []);
  const standing = reviewsByRecord(standingReviews(lines));
  return [...new Map(lines.map((line) => [line.record_id, line])).values()].map(
    ({ record_id, task_id, rollout = 0 }) => ({
      key: { taskId: task_id, rollout },
      ofRecord: record_id,
      facts: { facets: { review: wordsOf(standing.get(record_id) ?? []) } },
    }),
  );
}

function wordsOf(reviews: readonly ReviewLine[]): string[] {
  const isSaid = (wanted: ReviewLine['verdict']) => reviews.some(({ verdict }) => verdict === wanted);
  const [accepted, rejected] = [isSaid('accept'), isSaid('reject')];
  return [
    ...(accepted ? ['accepted'] : []),
    ...(rejected ? ['rejected'] : []),
    ...(accepted && rejected ? ['reviewers differ'] : []),
    ...(reviews.some(({ note }) => note !== undefined) ? ['with a note'] : []),
  ];
}
