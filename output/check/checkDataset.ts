import path from 'node:path';
import { crc32 } from 'node:zlib';
import { inOrder } from '../../base/threads/inOrder.ts';
import { UserError } from '../../base/userError.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import type { MixedRow } from '../../schemas/mixedRow.ts';
import { readAnswers } from '../../schemas/rows/codecTable.ts';
import {
  type DatasetRow,
  isProblem,
  type MaskSource,
  type PairSide,
  pairSides,
  problemText,
  type RowProblem,
} from '../../schemas/rows/datasetRow.ts';
import { type AlignedRow, alignRows, comparableText } from './alignRows.ts';
import { type CheckEvent, type CheckTally, PartTally, type RowReport } from './checkTally.ts';
import {
  changedFiles,
  type DatasetPart,
  type DatasetParts,
  fileFinding,
  type RowReader,
  readMixed,
  readTrajectories,
  type SourceRow,
} from './datasetFiles.ts';
import { alignMixed, checkMixedTokens } from './mixedRows.ts';
import { type CheckedTokens, type CheckSettings, placeless, rowFindings } from './rowFindings.ts';
import type { Finding } from './rules.ts';

export interface DatasetCheck {
  readonly dataset: DatasetParts;
  readonly settings: CheckSettings;
  readonly readRows: RowReader;
  /** Rows per part whose tokens are checked, evenly spread if their number is known; null: all. */
  readonly sample: number | null;
}

export async function* checkDataset(check: DatasetCheck, tally: CheckTally): AsyncGenerator<CheckEvent> {
  for await (const event of checkEvents(check, tally)) {
    for (const { rule, severity } of event.findings) tally.add(rule, severity === 'error');
    yield event;
  }
}

async function* checkEvents(check: DatasetCheck, tally: CheckTally): AsyncGenerator<CheckEvent> {
  const { own, parts } = check.dataset;
  if (own) for await (const finding of changedFiles(own.folder, own.manifest)) yield { findings: [finding] };
  /** Digests by split, with pairs apart. */
  const firsts = new Map<string, RowDigests>();
  for (const part of parts) {
    const sums = new PartTally(part, check.settings);
    tally.parts.push(sums);
    const places = part.pairs ? 2 * (own?.manifest.preference?.pairs ?? 0) : (own?.manifest.rows ?? 0);
    const digests = { path: part.path, ofRows: new Uint32Array(places) };
    try {
      for await (const row of checkPart(part, check)) {
        sums.add(row);
        // Skips rows with faults of their own, and rows outside of the dataset.
        if (row.tokens && row.findings.length === 0) digests.ofRows[row.place] = digestOf(row.tokens);
        yield row;
      }
    } catch (error) {
      // The other formats of the dataset are still checked.
      if (own === undefined || !(error instanceof UserError)) throw error;
      yield { findings: [fileFinding('broken_row', part.path, error.message)] };
    }
    if (!own || part.isCanonical) continue;
    yield { findings: wrongCounts(own, part, sums) };
    if (!isComparable(sums.maskedBy, own.manifest)) continue;
    const key = `${part.split} ${part.pairs}`;
    const first = firsts.get(key);
    if (first) yield { findings: differences(first, digests) };
    else firsts.set(key, digests);
  }
}

interface ReadRow {
  readonly source: SourceRow;
  readonly said: DatasetRow | RowProblem;
  /** Text for comparison with trajectories. */
  readonly text: string | undefined;
  /** Index of the answer; a pair has two. */
  readonly index: number;
  readonly side: PairSide | undefined;
}

/** Checks the rows of a part in order with bounded memory. */
async function* checkPart(
  part: DatasetPart,
  { dataset, readRows, ...check }: DatasetCheck,
): AsyncGenerator<RowReport> {
  const { split, pairs, isCanonical } = part;
  // Pairs are never cut, and segments marked by verdicts are in the loss of both sides.
  const settings = pairs
    ? { ...check.settings, mask: { ...check.settings.mask, marked: 'train' as const }, mayBeCut: false }
    : check.settings;
  const isSampled = sampling(part, dataset.own?.manifest, check.sample);
  const files = split !== null && !isCanonical && dataset[pairs ? 'pairs' : 'trajectories'].get(split);
  const rows = readPart(part, readRows, (said) =>
    files ? comparableText(said, settings.tokenText) : undefined,
  );
  const placed = files
    ? placedRows(rows, part, { dataset, readRows, mayBeCut: settings.mayBeCut })
    : asTheyStand(rows);
  const checkRow = async ({ row, trajectory, place, fault, mixed }: PlacedRow): Promise<RowReport> => {
    if (row === undefined) return { place, findings: [fileFinding(fault!.rule, part.path, fault!.message)] };
    const { source, said, side } = row;
    const at = { file: source.file, row: source.row, ...(side && { side }), file_line: source.line };
    if (isProblem(said)) {
      const rule = said.code === 'not_json' ? 'broken_row' : 'unknown_row';
      return { source, place, side, findings: [{ ...placeless(rule, problemText(said)), ...at }] };
    }
    const context = { trajectory, alignment: fault, withTokens: !isCanonical && isSampled(row.index) };
    // Mixed rows have no profile grammar.
    const { findings, tokens, profile } = mixed
      ? await rowFindings(
          said,
          { ...settings, profiles: undefined },
          { ...context, checkTokens: () => checkMixedTokens(said, mixed, settings) },
        )
      : await rowFindings(said, settings, context);
    return {
      source,
      place,
      side,
      said,
      tokens,
      profile,
      findings: findings.map((each) => ({ ...each, ...at })),
    };
  };
  // Hugging Face's encoder uses its own threads, so only few rows are buffered, whatever their length.
  for await (const { result } of inOrder(placed, checkRow, { weigh: () => 0, itemsPerThread: 1 }))
    yield result;
}

/** Row with the record that it was made of. */
type PlacedRow = AlignedRow<ReadRow> & { readonly mixed?: MixedRow | undefined };

/** Trajectory rows with their trajectories, then mixed rows with their lines. */
async function* placedRows(
  rows: AsyncGenerator<ReadRow>,
  part: DatasetPart,
  {
    dataset,
    readRows,
    mayBeCut,
  }: Pick<DatasetCheck, 'dataset' | 'readRows'> & { readonly mayBeCut: boolean },
): AsyncGenerator<PlacedRow> {
  const { split, pairs } = part;
  const files = dataset[pairs ? 'pairs' : 'trajectories'].get(split!)!;
  const { mix = [], splits } = dataset.own!.manifest;
  const trajectories = readTrajectories(files, readRows);
  if (pairs || mix.length === 0) return yield* alignRows(rows, trajectories, mayBeCut);
  const ofMix = mix.reduce((sum, file) => sum + file.splits[split!], 0);
  const first = splits[split!] - ofMix;
  yield* alignRows(taken(rows, first), trajectories, mayBeCut);
  yield* alignMixed(rows, readMixed(dataset.mixed.get(split!) ?? [], readRows), first);
}

/** Takes `count` items without closing the iterator. */
async function* taken<T>(items: AsyncIterator<T>, count: number): AsyncGenerator<T> {
  for (let at = 0; at < count; at++) {
    const next = await items.next();
    if (next.done) return;
    yield next.value;
  }
}

async function* asTheyStand(rows: AsyncIterable<ReadRow>): AsyncGenerator<PlacedRow> {
  for await (const row of rows) yield { row, trajectory: undefined, place: row.index, fault: undefined };
}

async function* readPart(
  part: DatasetPart,
  readRows: RowReader,
  textOf: (said: DatasetRow) => Promise<string | undefined> | undefined,
): AsyncGenerator<ReadRow> {
  let index = 0;
  for (const file of part.files) {
    for await (const source of readRows(file)) {
      const held =
        'value' in source
          ? readAnswers(source.value)
          : [{ path: '', code: 'not_json', problem: source.problem }];
      for (const [nth, said] of held.entries()) {
        const text = isProblem(said) ? undefined : await textOf(said);
        yield { source, said, text, index: index++, side: held.length > 1 ? pairSides[nth] : undefined };
      }
    }
  }
}

/** True if the tokens of row number n are checked. */
function sampling({ split, pairs }: DatasetPart, manifest: Manifest | undefined, sample: number | null) {
  if (sample === null) return () => true;
  const rows =
    split === null ? undefined : (pairs ? manifest?.preference?.splits : manifest?.splits)?.[split];
  const stride = rows === undefined ? undefined : Math.max(1, Math.ceil(rows / sample));
  return (index: number) => {
    const place = pairs ? Math.floor(index / 2) : index;
    return stride === undefined ? place < sample : place % stride === 0;
  };
}

function wrongCounts(
  { folder, manifest }: NonNullable<DatasetParts['own']>,
  part: DatasetPart,
  sums: PartTally,
): Finding[] {
  const isCounted = sums.maskedBy === 'tokens' && sums.isWhole;
  const findings = manifest.files.flatMap((listed) => {
    const file = path.join(folder, listed.path);
    const counts = sums.files.get(file);
    if (!counts) return [];
    const compared: [name: string, found: number, said: number | null][] = [
      ['rows', counts.rows, listed.rows],
    ];
    if (isCounted)
      compared.push(
        ['tokens', counts.tokens, listed.tokens],
        ['trained tokens', counts.trained, listed.trained_tokens],
      );
    return compared.flatMap(([name, found, said]) =>
      said === null || said === found
        ? []
        : [fileFinding('wrong_counts', file, `it has ${found} ${name}, manifest.json says ${said}`)],
    );
  });
  // Rows that end early in a dataset without cut rows have findings of their own.
  const mayCount = !part.pairs && manifest.cut_rows > 0 && manifest.splits.validation === 0 && isCounted;
  if (mayCount && sums.openRows !== manifest.cut_rows) {
    const message = `${sums.openRows} rows end without an end of turn, manifest.json says that ${manifest.cut_rows} were cut`;
    findings.push(fileFinding('wrong_counts', part.path, message));
  }
  return findings;
}

/** False for AFM's layout, which lacks a system turn, and for rows without markup, which the trainer renders. */
function isComparable(maskedBy: MaskSource | undefined, { chat_template }: Manifest): boolean {
  if (maskedBy === 'answer' || maskedBy === 'fork') return false;
  return (
    !(maskedBy === 'turns' || maskedBy === 'completion' || maskedBy === 'texts') ||
    chat_template.name === 'chatml'
  );
}

/** Digest of each row's ids and mask by index, for comparing formats; 0: none. */
interface RowDigests {
  readonly path: string;
  readonly ofRows: Uint32Array;
}

function digestOf({ row, trained }: CheckedTokens): number {
  return crc32(trained, crc32(new Uint8Array(Int32Array.from(row.ids).buffer))) || 1;
}

const MAX_DIFFERENCES = 20;

function differences(first: RowDigests, second: RowDigests): Finding[] {
  const places = [...second.ofRows.keys()].filter((place) => {
    const [one, other] = [first.ofRows[place]!, second.ofRows[place]!];
    return one !== 0 && other !== 0 && one !== other;
  });
  return places.slice(0, MAX_DIFFERENCES).map((place) => {
    const message = `row ${place + 1} of the split has other ids or another mask than in ${first.path}`;
    return fileFinding('formats_differ', second.path, message);
  });
}
