import { Table, tableToIPC } from 'apache-arrow';
import type { AtomicFile } from '../../base/files/atomicFile.ts';
import { createRequestedFile } from '../../base/files/requestedFile.ts';
import { UserError } from '../../base/userError.ts';
import { ParquetFile } from '../../output/dataset/files/columnFiles.ts';
import { ParquetGroups } from './parquetGroups.ts';
import type { RowSink } from './rowSinks.ts';
import type { SourceRow } from './sourceRow.ts';

/** A row of a row group that is to be written. */
interface Pick {
  /** From 0, within the group. */
  readonly row: number;
  readonly times: number;
}

/**
 * Parquet rows copied column by column with their types, a row group at a time: JSON is never made of them. All files
 * must have the same columns.
 */
export class ParquetSink implements RowSink {
  readonly #file: AtomicFile;
  readonly #parquet: ParquetFile;
  #hasRows = false;
  #groups: ParquetGroups;
  #group = 0;
  #picks: Pick[] = [];

  private constructor(file: AtomicFile, groups: ParquetGroups) {
    this.#file = file;
    this.#parquet = new ParquetFile(file);
    this.#groups = groups;
  }

  /**
   * @param sources the files that rows come from, at least one, all of which must have the same columns
   * @throws UserError when they do not, or the file can't be written
   */
  static async create(path: string, sources: readonly string[]): Promise<ParquetSink> {
    const groups = await openAlike(sources);
    try {
      return new ParquetSink(await createRequestedFile(path, '--out'), groups);
    } catch (error) {
      groups.close();
      throw error;
    }
  }

  async write({ file, row }: SourceRow, times: number): Promise<void> {
    if (this.#groups.path !== file) {
      await this.#flush();
      this.#groups.close();
      this.#groups = await ParquetGroups.open(file);
    }
    const place = this.#groups.placeOf(row - 1);
    if (place.group !== this.#group) await this.#flush();
    this.#group = place.group;
    this.#picks.push({ row: place.row, times });
  }

  async close(): Promise<void> {
    await this.#flush();
    // A parquet file has a schema also without rows.
    if (!this.#hasRows) await this.#parquet.write(tableToIPC(await this.#groups.noRows(), 'stream'));
    this.#groups.close();
    await this.#parquet.finish();
    await this.#file.close();
  }

  commit(): Promise<void> {
    return this.#file.commit();
  }

  async discard(): Promise<void> {
    this.#groups.close();
    await this.#parquet.abort();
    await this.#file.discard();
  }

  async #flush(): Promise<void> {
    const picks = this.#picks;
    this.#picks = [];
    if (picks.length === 0) return;
    const table = await this.#groups.read(this.#group);
    this.#hasRows = true;
    const batches = runsOf(picks).flatMap(({ from, to }) => table.slice(from, to).batches);
    await this.#parquet.write(tableToIPC(new Table(table.schema, batches), 'stream'));
  }
}

/** Rows that follow each other, so that they can be copied together; a row that is repeated is a run of its own. */
function runsOf(picks: readonly Pick[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  for (const { row, times } of picks) {
    const last = runs.at(-1);
    if (last?.to === row) last.to = row + 1;
    else runs.push({ from: row, to: row + 1 });
    for (let more = 1; more < times; more++) runs.push({ from: row, to: row + 1 });
  }
  return runs;
}

/** The first file, open, when all have its columns. */
async function openAlike([first, ...others]: readonly string[]): Promise<ParquetGroups> {
  const groups = await ParquetGroups.open(first!);
  try {
    for (const other of others) await refuseOtherColumns(groups, other);
    return groups;
  } catch (error) {
    groups.close();
    throw error;
  }
}

async function refuseOtherColumns({ path, columns }: ParquetGroups, other: string): Promise<void> {
  const groups = await ParquetGroups.open(other);
  groups.close();
  if (groups.columns === columns) return;
  throw new UserError(
    `${other}: expected the columns of ${path} (${columns}), found ${groups.columns}; name files with the same columns`,
  );
}
