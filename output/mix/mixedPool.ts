import { createHash } from 'node:crypto';
import path from 'node:path';
import { Counts } from '../../base/counts.ts';
import { sha256OfFile } from '../../base/files/fileHash.ts';
import { SpillFile } from '../../base/files/spillFile.ts';
import type { FileRow } from '../../base/rows/fileRow.ts';
import { openRowFile } from '../../base/rows/openRowFile.ts';
import { type FoundRowFile, rowFilesAt } from '../../base/rows/rowFilesAt.ts';
import { UserError } from '../../base/userError.ts';
import type { MixedFile } from '../../schemas/config/mix.ts';
import type { Contamination } from '../../schemas/contamination.ts';
import type { MixedFileCounts } from '../../schemas/mixedRow.ts';
import { problemText, type RowProblem } from '../../schemas/rows/datasetRow.ts';
import type { DecodeIds } from '../tokenizers/decodeIds.ts';
import { type MixedSource, readMixedRow } from './readMixedRow.ts';

/** Draw settings of `dataset.mix`. */
export interface DrawSettings {
  readonly seed: number;
  /** Finds a benchmark question that equals or is part of a question; absent: no benchmarks. */
  readonly findContamination?: ((asked: string) => Contamination | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Entry {
  /** Sort key from content and seed. */
  readonly key: Buffer;
  /** Number of its source; orders equal rows of several files. */
  readonly source: number;
  readonly place: number;
  readonly length: number;
  /** Location for messages. */
  readonly where: string;
}

/** Rows of a file of `dataset.mix`, in an order independent of file order and workers. */
export class MixedPool {
  readonly #asked: MixedFile;
  readonly #draw: DrawSettings;
  readonly #decode: DecodeIds;
  readonly #spill = new SpillFile();
  readonly #entries: Entry[] = [];
  readonly #sources: { readonly name: string; readonly sha256: string }[] = [];
  readonly #leftOut = new Map<string, { rows: number; first: string }>();
  readonly #notRead = new Counts();
  #rowsRead = 0;

  private constructor(asked: MixedFile, draw: DrawSettings, decode: DecodeIds) {
    this.#asked = asked;
    this.#draw = draw;
    this.#decode = decode;
  }

  /**
   * Reads a file of `dataset.mix` once into a temporary file, which `close` removes.
   *
   * @throws UserError for unreadable files
   */
  static async read(asked: MixedFile, draw: DrawSettings, decode: DecodeIds): Promise<MixedPool> {
    const pool = new MixedPool(asked, draw, decode);
    try {
      for (const found of await rowFilesAt(asked.file)) await pool.#readSource(found);
    } catch (error) {
      pool.close();
      throw error;
    }
    pool.#entries.sort((a, b) => Buffer.compare(a.key, b.key) || a.source - b.source);
    return pool;
  }

  get asked(): MixedFile {
    return this.#asked;
  }

  /** Number of drawable rows before rendering. */
  get size(): number {
    return this.#entries.length;
  }

  /** Row at a position of the drawn order. */
  at(place: number): MixedSource {
    const { place: start, length } = this.#entries[place]!;
    return JSON.parse(Buffer.from(this.#spill.read(start, length)).toString('utf8')) as MixedSource;
  }

  /** Location of a row for messages: `chats.jsonl line 12`. */
  where(place: number): string {
    return this.#entries[place]!.where;
  }

  /** Counts a rejected row. */
  leaveOut(reason: string, words: string): void {
    const before = this.#leftOut.get(reason);
    if (before) before.rows += 1;
    else this.#leftOut.set(reason, { rows: 1, first: words });
  }

  /** Counts before rows are written. */
  get counted(): Pick<
    MixedFileCounts,
    'file' | 'sources' | 'share' | 'rows' | 'weight' | 'rows_read' | 'left_out' | 'not_read'
  > {
    const { file, share = null, rows = null, weight } = this.#asked;
    return {
      file: path.basename(file),
      sources: this.#sources,
      ...{ share, rows, weight },
      rows_read: this.#rowsRead,
      left_out: Object.fromEntries([...this.#leftOut].sort(([a], [b]) => (a < b ? -1 : 1))),
      not_read: Object.fromEntries([...this.#notRead].sort(([a], [b]) => (a < b ? -1 : 1))),
    };
  }

  /** @throws UserError if no row is left to draw, usually because of a wrong file */
  assertUsable(): void {
    if (this.#entries.length > 0) return;
    const reasons = [...this.#leftOut].map(
      ([reason, { rows, first }]) => `${rows} ${reason}, first at ${first}`,
    );
    throw new UserError(
      `dataset.mix: none of the ${this.#rowsRead} rows of ${this.#asked.file} can be mixed in${reasons.length > 0 ? `: ${reasons.join('. ')}` : ''}; correct the file, or leave it out`,
    );
  }

  /** Removes the temporary file. */
  close(): void {
    this.#spill.close();
  }

  async #readSource({ path: file, name }: FoundRowFile): Promise<void> {
    this.#sources.push({ name, sha256: await sha256OfFile(file) });
    const opened = await openRowFile(file);
    for await (const row of opened.rows()) {
      this.#draw.signal?.throwIfAborted();
      this.#rowsRead += 1;
      const source = await this.#sourceOf(row, name);
      const where = `${name} ${row.line === null ? `row ${row.row}` : `line ${row.line}`}`;
      if (isRefused(source)) this.leaveOut(source.code, `${where}: ${problemText(source)}`);
      else this.#add(source, where);
    }
  }

  async #sourceOf(row: FileRow, name: string): Promise<MixedSource | RowProblem> {
    if ('problem' in row) return { path: '', code: 'not_json', problem: row.problem };
    const source = await readMixedRow(row.value, name, this.#decode);
    if (isRefused(source)) return source;
    for (const field of source.notRead) this.#notRead.add(field);
    const found = source.asked === '' ? undefined : this.#draw.findContamination?.(source.asked);
    if (!found) return source;
    const { benchmark, benchmark_row } = found;
    const problem = `its question stands in the benchmark ${benchmark}, row ${benchmark_row}`;
    return { path: '', code: 'contaminated', problem };
  }

  #add(source: MixedSource, where: string): void {
    const bytes = Buffer.from(JSON.stringify(source));
    this.#entries.push({
      key: createHash('sha256')
        .update(`mix\n${this.#draw.seed}\n${source.record.id}`)
        .digest()
        .subarray(0, 12),
      source: this.#sources.length,
      place: this.#spill.append(bytes),
      length: bytes.length,
      where,
    });
  }
}

function isRefused(read: MixedSource | RowProblem): read is RowProblem {
  return 'problem' in read;
}

/** Rows per source tested before a run begins. */
const TRIED_ROWS = 20;

/**
 * Reads the files of `dataset.mix` and their first rows.
 *
 * @throws UserError for an unreadable file, or one without a usable first row
 */
export async function tryMixedFiles(files: readonly MixedFile[], decode: DecodeIds): Promise<void> {
  for (const { file } of files) {
    for (const { path: source, name } of await rowFilesAt(file)) {
      let first: string | undefined;
      let tried = 0;
      for await (const row of (await openRowFile(source)).rows()) {
        const read =
          'problem' in row
            ? { path: '', code: 'not_json', problem: row.problem }
            : await readMixedRow(row.value, name, decode);
        if (!isRefused(read)) {
          first = undefined;
          break;
        }
        first ??= `row ${row.row}: ${problemText(read)}`;
        if (++tried === TRIED_ROWS) break;
      }
      if (first !== undefined)
        throw new UserError(
          `dataset.mix: ${source}: none of its first ${tried} rows can be mixed in; ${first}; expected chat messages, ShareGPT, alpaca, or input_ids with labels or loss_mask`,
        );
    }
  }
}
