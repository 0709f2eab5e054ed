import { inOrder } from '../../base/threads/inOrder.ts';
import { type AuditFinding, type PairSide, pairSides } from '../../schemas/audit.ts';
import { readAnswers } from '../../schemas/rows/codecTable.ts';
import {
  type DatasetRow,
  isProblem,
  problemText,
  type RowProblem as ReadProblem,
} from '../../schemas/rows/datasetRow.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { type AlignedRow, alignRows } from './align/alignRows.ts';
import { comparableText } from './align/comparableText.ts';
import type { AuditSettings, RowProblem } from './expectation/auditSettings.ts';
import { fileFinding } from './fileProblems.ts';
import type { DatasetPart } from './read/datasetParts.ts';
import type { RowReader, SourceRow } from './read/readRows.ts';
import { type CheckedRow, checkRow } from './rows/checkRow.ts';
import { type EncodedText, type TokenText, tokenContext } from './tokenText.ts';

/** What an audit says about one row. */
export interface RowReport {
  readonly file: string;
  /** From 1; null for a row that is missing. */
  readonly row: number | null;
  /** Place among the rows of its split, from 0; -1 where the row has none. */
  readonly place: number;
  /** Absent for a row that is missing or can't be read. */
  readonly said: DatasetRow | undefined;
  /** Side of a row that is a pair; each has a report of its own. */
  readonly side: PairSide | undefined;
  readonly findings: readonly AuditFinding[];
  /** Undefined for a row that was not looked into. */
  readonly checked: CheckedRow | undefined;
}

/** How the rows of a part are audited. */
export interface PartAudit {
  readonly settings: AuditSettings;
  readonly readRows: RowReader;
  /** The canonical records of the part's split; undefined where there are none. */
  readonly trajectories: (() => AsyncIterable<Trajectory>) | undefined;
  /** Whether the row at a place, from 0, is looked into. */
  readonly isSampled: (place: number) => boolean;
}

interface ReadRow {
  readonly source: SourceRow;
  readonly said: DatasetRow | ReadProblem;
  readonly text: string | undefined;
  /** Place of the answer, from 0: a pair has two. */
  readonly index: number;
  /** Side of a row that is a pair. */
  readonly side: PairSide | undefined;
}

/** A row and whose it is, or the place of one that is missing. */
type PlacedRow = AlignedRow<ReadRow>;

/** Audits the rows of one part, in order, a few in memory at a time. */
export async function* auditPart(part: DatasetPart, audit: PartAudit): AsyncGenerator<RowReport> {
  const report = async (placed: PlacedRow): Promise<RowReport> =>
    placed.row === undefined ? reportMissing(part, placed) : reportRow(placed.row, placed, audit);
  for await (const { result } of inOrder(placedRows(part, audit), report, oneAThread)) yield result;
}

/** Hugging Face's encoder works on threads of its own; rows are held back by their number, however long they are. */
const oneAThread = { weigh: () => 0, itemsPerThread: 1 };

async function* placedRows(part: DatasetPart, audit: PartAudit): AsyncGenerator<PlacedRow> {
  const rows = readPart(part, audit);
  if (audit.trajectories) yield* alignRows(rows, audit.trajectories(), audit.settings.mayBeCut);
  // Nothing says which rows there should be.
  else
    for await (const row of rows) yield { row, trajectory: undefined, place: row.index, problem: undefined };
}

async function* readPart(part: DatasetPart, audit: PartAudit): AsyncGenerator<ReadRow> {
  const begin = async ({ said }: Omit<ReadRow, 'text'>) => textOf(said, audit);
  for await (const { item, result } of inOrder(answersOf(part, audit), begin, oneAThread))
    yield { ...item, text: result };
}

async function* answersOf(part: DatasetPart, audit: PartAudit): AsyncGenerator<Omit<ReadRow, 'text'>> {
  let index = 0;
  for (const file of part.files) {
    for await (const source of audit.readRows(file)) {
      const held =
        'value' in source
          ? readAnswers(source.value)
          : [{ path: '', code: 'not_json', problem: source.problem }];
      for (const [nth, said] of held.entries())
        yield { source, said, index: index++, side: held.length > 1 ? pairSides[nth] : undefined };
    }
  }
}

/** Only what is compared with trajectories is decoded for it. Ids of another tokenizer say nothing about whose row it is. */
async function textOf(
  said: ReadRow['said'],
  { trajectories, settings: { tokenText } }: PartAudit,
): Promise<string | undefined> {
  if (trajectories === undefined || isProblem(said)) return undefined;
  if (said.tokens && !(await isOfTokenizer(said.tokens.ids, tokenText))) return undefined;
  return comparableText(said, tokenText);
}

/** Whether ids are what the tokenizer makes of their own text, but for text that spells control tokens. */
async function isOfTokenizer(ids: readonly number[], tokenText: TokenText): Promise<boolean> {
  if (ids.some((id) => !tokenText.knows(id))) return false;
  const start = ids.slice(0, 64);
  const { ids: again } = await tokenText.encode(await tokenText.decode(start));
  // The last few may join otherwise where the text goes on.
  return again.slice(0, 48).every((id, at) => id === start[at]);
}

function reportMissing({ path: file }: DatasetPart, { place, problem }: PlacedRow): RowReport {
  const findings = [fileFinding(problem!.kind, file, problem!.message)];
  return { file, row: null, place, said: undefined, side: undefined, findings, checked: undefined };
}

async function reportRow(
  read: ReadRow,
  placed: PlacedRow,
  { settings, isSampled }: PartAudit,
): Promise<RowReport> {
  const { source, said, index, side } = read;
  const about = { file: source.file, row: source.row, place: placed.place, side };
  if (isProblem(said)) {
    const problem = { kind: 'bad_row', message: problemText(said), token: null, tokens: 0 } as const;
    const findings = [findingOf(problem, read, undefined)];
    return { ...about, said: undefined, findings, checked: undefined };
  }
  const checked = isSampled(index) ? await checkRow(said, settings, placed.trajectory) : undefined;
  const problems = checked ? [...checked.problems, ...lengthProblems(checked, settings)] : [];
  const findings = [...alignmentProblems(placed, problems), ...problems].map((problem) =>
    findingOf(problem, read, checked?.row),
  );
  return { ...about, said, findings, checked };
}

/** Findings that say what became of a row's text. */
const textKinds: ReadonlySet<AuditFinding['kind']> = new Set([
  'foreign_ids',
  'control_token_in_text',
  'broken_structure',
  'no_model_turn',
  'truncated_row',
  'missing_end_of_turn',
]);

/** A row whose text is not what it was is reported as what happened to it, where that is known. */
function alignmentProblems({ problem }: PlacedRow, others: readonly RowProblem[]): RowProblem[] {
  const isTold = problem?.kind === 'row_differs' && others.some(({ kind }) => textKinds.has(kind));
  return problem && !isTold ? [{ ...problem, token: null, tokens: 0 }] : [];
}

function lengthProblems({ row }: CheckedRow, { cutoffLen }: AuditSettings): RowProblem[] {
  if (cutoffLen === null || row.ids.length <= cutoffLen) return [];
  const message = `the row has ${row.ids.length} tokens, the cutoff is ${cutoffLen}`;
  return [{ kind: 'too_long', message, token: cutoffLen, tokens: row.ids.length - cutoffLen }];
}

function findingOf(
  { kind, message, token, tokens }: RowProblem,
  { source: { file, row }, side }: Pick<ReadRow, 'source' | 'side'>,
  encoded: EncodedText | undefined,
): AuditFinding {
  const context = token === null || encoded === undefined ? null : tokenContext(encoded, token);
  return { kind, file, row, ...(side && { side }), token, tokens, message, context };
}
