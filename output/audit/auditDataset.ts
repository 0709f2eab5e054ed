import path from 'node:path';
import { crc32 } from 'node:zlib';
import { UserError } from '../../base/userError.ts';
import type { AuditFinding } from '../../schemas/audit.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { auditPart, type RowReport } from './auditPart.ts';
import { type AuditTally, PartTally } from './auditTally.ts';
import type { AuditSettings } from './expectation/auditSettings.ts';
import { changedFiles, fileFinding, wrongCounts } from './fileProblems.ts';
import type { DatasetPart, DatasetParts } from './read/datasetParts.ts';
import { type RowReader, readTrajectories } from './read/readRows.ts';
import type { CheckedRow } from './rows/checkRow.ts';

export interface DatasetAudit {
  readonly dataset: DatasetParts;
  readonly settings: AuditSettings;
  readonly readRows: RowReader;
  /** How many rows of each part are looked into, spread evenly where their number is known; null: all. */
  readonly sample: number | null;
}

/** A row, or what concerns a whole file. */
type AuditEvent = RowReport | { readonly findings: readonly AuditFinding[]; readonly checked: undefined };

/** Audits everything at a path, part by part, row by row; sums go to the tally. */
export async function* auditDataset(audit: DatasetAudit, tally: AuditTally): AsyncGenerator<AuditEvent> {
  for await (const event of auditEvents(audit, tally)) {
    tally.add(event.findings);
    yield event;
  }
}

async function* auditEvents(audit: DatasetAudit, tally: AuditTally): AsyncGenerator<AuditEvent> {
  const { own, parts } = audit.dataset;
  if (own) for await (const finding of changedFiles(own.folder, own.manifest)) yield ofFile([finding]);
  /** By split, those of pairs apart. */
  const firsts = new Map<string, RowDigests>();
  for (const part of parts) {
    const partTally = new PartTally(part);
    tally.parts.push(partTally);
    const digests = { path: part.path, ofRows: new Uint32Array(placesOf(part, own?.manifest)) };
    try {
      for await (const report of auditPart(part, partAudit(part, audit))) {
        partTally.add(report);
        // Where a row has a fault of its own, that it differs from others is no news. Places outside are not kept.
        if (report.checked && report.findings.length === 0)
          digests.ofRows[report.place] = digestOf(report.checked);
        yield report;
      }
    } catch (error) {
      // A file of ours that breaks off is a finding: the other formats are still worth reading.
      if (own === undefined || !(error instanceof UserError)) throw error;
      yield ofFile([fileFinding('bad_row', part.path, error.message)]);
    }
    if (!own) continue;
    yield ofFile(countProblems(own, part, partTally));
    if (!isComparable(partTally, own.manifest)) continue;
    const key = `${part.split} ${part.pairs}`;
    const first = firsts.get(key);
    if (first) yield ofFile(differences(first, digests));
    else firsts.set(key, digests);
  }
}

function ofFile(findings: readonly AuditFinding[]): AuditEvent {
  return { findings, checked: undefined };
}

/** How many rows a part may hold, the sides of a pair being two. */
function placesOf({ pairs }: DatasetPart, manifest: Manifest | undefined): number {
  return pairs ? 2 * (manifest?.preference?.pairs ?? 0) : (manifest?.rows ?? 0);
}

function partAudit(part: DatasetPart, { dataset, settings, readRows, sample }: DatasetAudit) {
  const { split, pairs } = part;
  const files = split === null ? undefined : dataset[pairs ? 'pairs' : 'trajectories'].get(split);
  const manifest = dataset.own?.manifest;
  const counts = pairs ? manifest?.preference?.splits : manifest?.splits;
  const rows = split === null ? undefined : (counts?.[split] ?? 0);
  const stride = sample === null || rows === undefined ? 1 : Math.max(1, Math.ceil(rows / sample));
  return {
    // A pair is never cut, and what verdicts mark is in the loss of both sides.
    settings: pairs
      ? { ...settings, mask: { ...settings.mask, marked: 'train' as const }, mayBeCut: false }
      : settings,
    readRows,
    trajectories: files && ((): AsyncIterable<Trajectory> => readTrajectories(files, readRows)),
    isSampled: (side: number) => {
      const place = pairs ? Math.floor(side / 2) : side;
      return sample === null || (rows === undefined ? place < sample : place % stride === 0);
    },
  };
}

function countProblems(
  { folder, manifest }: NonNullable<DatasetParts['own']>,
  part: DatasetPart,
  tally: PartTally,
): AuditFinding[] {
  const findings: AuditFinding[] = [];
  for (const listed of manifest.files) {
    const file = path.join(folder, listed.path);
    const counts = tally.files.get(file);
    if (counts)
      findings.push(...wrongCounts(file, listed, counts, tally.maskedBy === 'tokens' && tally.isWhole));
  }
  // Rows that end early in a dataset without cut rows have findings of their own.
  const isTold = !part.pairs && manifest.cut_rows > 0 && manifest.splits.validation === 0 && tally.isWhole;
  if (isTold && tally.maskedBy === 'tokens' && tally.openRows !== manifest.cut_rows) {
    const message = `${tally.openRows} rows end without an end of turn, manifest.json says that ${manifest.cut_rows} were cut`;
    findings.push(fileFinding('wrong_counts', part.path, message));
  }
  return findings;
}

/** AFM's layout has no system turn, and rows without markup are rendered by the trainer. */
function isComparable(tally: PartTally, { chat_template }: Manifest): boolean {
  const { maskedBy } = tally;
  if (maskedBy === 'answer' || maskedBy === 'fork') return false;
  return maskedBy !== 'turns' || chat_template.name === 'chatml';
}

/** A digest of each row's ids and mask by its place, to compare formats that are read one after another; 0: none. */
interface RowDigests {
  readonly path: string;
  readonly ofRows: Uint32Array;
}

function digestOf({ row, trained }: CheckedRow): number {
  return crc32(trained, crc32(new Uint8Array(Int32Array.from(row.ids).buffer))) || 1;
}

/** Differences between two formats that are told one by one. */
const MAX_DIFFERENCES = 20;

function differences(first: RowDigests, second: RowDigests): AuditFinding[] {
  const places = [...second.ofRows.keys()].filter((place) => {
    const [one, other] = [first.ofRows[place]!, second.ofRows[place]!];
    return one !== 0 && other !== 0 && one !== other;
  });
  return places.slice(0, MAX_DIFFERENCES).map((place) => {
    const message = `row ${place + 1} of the split has other ids or another mask than in ${first.path}`;
    return fileFinding('formats_differ', second.path, message);
  });
}
