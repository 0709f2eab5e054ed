import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { AtomicFile } from '../../base/files/atomicFile.ts';
import { createRequestedFile } from '../../base/files/requestedFile.ts';
import { UserError } from '../../base/userError.ts';
import type { StageOutcome } from '../../contract/stage.ts';
import { jsonArrayFile, jsonLinesFile } from '../../output/dataset/files/jsonFiles.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { SamplingLine } from '../../schemas/samplingLine.ts';
import type { TrajectorySampling } from '../../schemas/trajectory.ts';
import { pipeName, type SourceFile } from './openRows.ts';
import type { RowRecord } from './rowStage.ts';
import type { RowIdentity, SourceRow } from './sourceRow.ts';

interface OutputPaths {
  /** `-` for standard output. */
  readonly out: string;
  /** Default: `OUT.ledger.jsonl`, or none if rows go to standard output. */
  readonly ledger: string | undefined;
}

/** Position of a row: index among all rows, and position in its file. */
export type RowPlace = Pick<SourceRow, 'index' | 'file' | 'row' | 'line'>;

export interface DecidedRow {
  readonly place: RowPlace;
  readonly identity: RowIdentity;
  readonly outcome: StageOutcome<RowRecord>;
}

/** Output files: kept rows, ledger, and sampling of kept rows. All appear together or not at all. */
export class OutputFiles {
  readonly #out: string;
  readonly #rows: RowSink;
  readonly #ledger: AtomicFile | undefined;
  /** Created for the first repeated or weighted row. */
  #sampling: AtomicFile | undefined;

  private constructor(out: string, rows: RowSink, ledger: AtomicFile | undefined) {
    this.#out = out;
    this.#rows = rows;
    this.#ledger = ledger;
  }

  /** Throws `UserError` if a file is not writable, or its extension does not fit. */
  static async create({ out, ledger }: OutputPaths, sources: readonly SourceFile[]): Promise<OutputFiles> {
    const ledgerPath = ledger ?? (out === pipeName ? undefined : `${out}.ledger.jsonl`);
    if (ledgerPath !== undefined) refuseLedger(ledgerPath, out, sources);
    const rows = await openSink(out, sources);
    try {
      const file = ledgerPath === undefined ? undefined : await createRequestedFile(ledgerPath, '--ledger');
      return new OutputFiles(out, rows, file);
    } catch (error) {
      await rows.discard();
      throw error;
    }
  }

  /** Records the outcome of a row, unless it is kept unchanged. */
  async note({ place: { index, file, row, line }, identity, outcome }: DecidedRow): Promise<void> {
    if (outcome.kind === 'emit')
      return this.#sample({ index, record_id: identity.id, file, row }, outcome.records[0]);
    const named = { index, record_id: identity.id, task_id: identity.task_id };
    const place = { file, row, ...(line !== null && { line }) };
    if (outcome.kind === 'drop') {
      const { kind, reason, evidence } = outcome;
      return this.#write({ kind, ...named, reason, evidence: { ...evidence, ...place } });
    }
    const { kind, failure } = outcome;
    const evidence = { ...failure.evidence, ...place };
    return this.#write({ kind, ...named, failure: { ...failure, evidence } });
  }

  async #write(entry: LedgerEntry): Promise<void> {
    if (this.#ledger) await writeLine(this.#ledger, entry);
  }

  async #sample(
    row: Omit<SamplingLine, keyof TrajectorySampling>,
    record: RowRecord | undefined,
  ): Promise<void> {
    const sampling = record?.sampling;
    if (sampling === undefined) return;
    if (this.#out === pipeName) return refuseLostWeight(sampling);
    this.#sampling ??= await createRequestedFile(samplingName(this.#out), '--out');
    await writeLine(this.#sampling, { ...row, ...sampling });
  }

  /** Writes a kept row. Rows must be written in read order. */
  write(row: SourceRow, times: number): Promise<void> {
    return this.#rows.write(row, times);
  }

  /** Gives every file its final name, the row file last. */
  async commit(): Promise<void> {
    const beside = [this.#ledger, this.#sampling].filter((file) => file !== undefined);
    for (const file of [...beside, this.#rows]) await file.close();
    // A sampling file of an earlier command would describe rows that no longer exist.
    if (this.#sampling === undefined && this.#out !== pipeName)
      await rm(samplingName(this.#out), { force: true });
    for (const file of [...beside, this.#rows]) await file.commit();
  }

  async discard(): Promise<void> {
    await this.#rows.discard();
    await this.#ledger?.discard();
    await this.#sampling?.discard();
  }
}

function samplingName(out: string): string {
  return `${out}.sampling.jsonl`;
}

/** Rejects a ledger path that would overwrite rows. */
function refuseLedger(ledger: string, out: string, sources: readonly SourceFile[]): void {
  const path = resolve(ledger);
  if (path === resolve(out) || path === resolve(samplingName(out)))
    throw new UserError(`--ledger ${ledger}: expected another file than --out`);
  if (sources.some((source) => source.path !== pipeName && resolve(source.path) === path))
    throw new UserError(`--ledger ${ledger}: expected another file than those that are read`);
}

/** Rejects weights on a pipe, which can only carry repeats. */
function refuseLostWeight({ weight }: TrajectorySampling): void {
  if (weight === 1) return;
  throw new UserError('--out -: weights of rows stand in a file beside the rows; name a file');
}

function writeLine(file: AtomicFile, line: LedgerEntry | SamplingLine): Promise<void> {
  return file.write(`${JSON.stringify(line)}\n`);
}

async function openSink(out: string, sources: readonly SourceFile[]): Promise<RowSink> {
  const ending = extname(out).toLowerCase();
  // Reading would expect these formats by extension.
  if (['.parquet', '.arrow', '.csv', '.gz', '.zst'].includes(ending))
    throw new UserError(`--out ${out}: rows leave as JSON; name a file that ends in .jsonl or .json`);
  if (out === pipeName) return jsonSink(standardOutput, false);
  const isList = ending === '.json' || (ending !== '.jsonl' && sources[0]?.format === 'json_list');
  return jsonSink(await createRequestedFile(out, '--out'), isList);
}

type JsonTarget = Pick<AtomicFile, 'close' | 'commit' | 'discard'> & {
  write(data: string | Uint8Array): Promise<void>;
};

/** Destination of kept rows in order. */
type RowSink = ReturnType<typeof jsonSink>;

/** JSON list with one row per line, or JSON lines. */
function jsonSink(target: JsonTarget, isList: boolean) {
  const file = { bytes: 0, write: (data: string | Uint8Array) => target.write(data) };
  const rows = isList ? jsonArrayFile(file) : jsonLinesFile(file);
  return {
    async write(row: SourceRow, times: number) {
      const json = isList ? jsonOf(row) : onOneLine(jsonOf(row));
      for (let time = 0; time < times; time++) await rows.add(json);
    },
    async close() {
      await rows.finish();
      await target.close();
    },
    commit: () => target.commit(),
    discard: () => target.discard(),
  };
}

/** Standard output with back pressure. */
const standardOutput: JsonTarget = {
  async write(data) {
    if (!process.stdout.write(data)) await once(process.stdout, 'drain');
  },
  async close() {},
  async commit() {},
  async discard() {},
};

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const blank = 0x20;

/** Row as stored in its file; rows of CSV, parquet and Arrow converted to JSON. */
function jsonOf(row: SourceRow): Uint8Array {
  if ('problem' in row) throw new Error(`${row.file} row ${row.row} can't be written: ${row.problem}`);
  return row.bytes ?? Buffer.from(JSON.stringify(row.value));
}

/** Joins a multi-line row of a JSON list; between tokens, a line feed equals a space. */
function onOneLine(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(lineFeed) && !bytes.includes(carriageReturn)) return bytes;
  return bytes.map((byte) => (byte === lineFeed || byte === carriageReturn ? blank : byte));
}
