import type { Split } from '../../schemas/manifest.ts';
import { RowCounts } from './datasetCounts.ts';
import type {
  DatasetFormat,
  DatasetRow,
  FormatLayout,
  FormatPart,
  FormatSettings,
  FormatSources,
  RecordKind,
  RowFile,
  RowsFile,
} from './datasetFormat.ts';
import { formatReadme } from './formatReadme.ts';
import type { PartialFolder } from './partialFolder.ts';

export interface PlannedFormat<Kind extends RecordKind = RecordKind> {
  readonly format: DatasetFormat<Kind>;
  readonly layout: FormatLayout<FormatSources[Kind]>;
  readonly settings: FormatSettings;
}

type CountedRow = Pick<DatasetRow, 'inputIds' | 'trainedTokens'>;

/** Finished format with its row files, as in `WrittenFormat`. */
export interface FinishedFormat {
  readonly format: DatasetFormat;
  readonly files: readonly RowsFile[];
}

type PartFiles = Readonly<Record<Split, ShardSeries>>;

/** Writes a format into a folder: rows by split and shard, then the other files. */
export class FormatWriter<Kind extends RecordKind = 'trajectory'> {
  readonly #folder: PartialFolder;
  readonly planned: PlannedFormat<Kind>;
  readonly #parts: readonly PartFiles[];

  /** @param shardBytes size at which a file ends and the next begins; `Infinity` for one file per split */
  constructor(folder: PartialFolder, planned: PlannedFormat<Kind>, shardBytes: number) {
    this.#folder = folder;
    this.planned = planned;
    this.#parts = planned.layout.parts.map((part, place): PartFiles => {
      const series = (split: Split) =>
        new ShardSeries({
          folder,
          part,
          split,
          shardBytes,
          draft: `${planned.format.name}-${place}-${split}`,
        });
      return { train: series('train'), validation: series('validation') };
    });
  }

  /**
   * Writes a row.
   *
   * @param rows the row for each part, see `FormatPart.rowOf`
   * @param counts its sources; two rows for a pair
   */
  async add(rows: readonly unknown[], counts: readonly CountedRow[], split: Split): Promise<void> {
    for (const [place, part] of this.#parts.entries()) await part[split].add(rows[place], counts);
  }

  /** Finishes and names the row files, and writes the other files of the format. */
  async finish(): Promise<FinishedFormat> {
    const hasValidation = this.#parts.some((part) => part.validation.isUsed);
    const files: RowsFile[] = [];
    for (const { train, validation } of this.#parts) {
      files.push(...(await train.finish(hasValidation)));
      if (hasValidation) files.push(...(await validation.finish(hasValidation)));
    }
    const { format, layout, settings } = this.planned;
    const written = { files, hasValidation };
    const guide = layout.guide?.(written);
    if (!guide) return { format, files };
    for (const { path, text } of [...guide.files, formatReadme(format, settings, written, guide)])
      await this.#folder.writeFile(path, text);
    return { format, files };
  }

  /** Releases streams and native memory; the caller removes the files. */
  async abort(): Promise<void> {
    for (const { train, validation } of this.#parts)
      for (const files of [train, validation]) await files.abort();
  }
}

export function rowsOf<Kind extends RecordKind>(
  { layout }: PlannedFormat<Kind>,
  source: FormatSources[Kind],
): unknown[] {
  return layout.parts.map((part) => part.rowOf(source));
}

interface SeriesOptions {
  readonly folder: PartialFolder;
  readonly part: Pick<FormatPart, 'begin' | 'pathOf'>;
  readonly split: Split;
  readonly shardBytes: number;
  /** Prefix of temporary file names, unique per series; final names depend on the number of files. */
  readonly draft: string;
}

/** Files of one split of one part in order. */
class ShardSeries {
  readonly #options: SeriesOptions;
  readonly #closed: RowsFile[] = [];
  #open: { readonly draft: string; readonly rows: RowFile; readonly counts: RowCounts } | undefined;

  constructor(options: SeriesOptions) {
    this.#options = options;
  }

  get isUsed(): boolean {
    return this.#open !== undefined || this.#closed.length > 0;
  }

  async add(row: unknown, counts: readonly CountedRow[]): Promise<void> {
    this.#open ??= await this.#begin();
    await this.#open.rows.add(row);
    this.#open.counts.add(...counts);
    if (this.#open.rows.dataBytes >= this.#options.shardBytes) await this.#close();
  }

  /** Finishes and names the files. Writes at least one file, even without rows. */
  async finish(hasValidation: boolean): Promise<RowsFile[]> {
    if (this.#closed.length === 0) this.#open ??= await this.#begin();
    await this.#close();
    const { folder, part, split } = this.#options;
    const named: RowsFile[] = [];
    for (const [shard, file] of this.#closed.entries()) {
      const path = part.pathOf({ split, shard, shards: this.#closed.length, hasValidation });
      await folder.renameFile(file.path, path);
      named.push({ ...file, path });
    }
    return named;
  }

  async abort(): Promise<void> {
    await this.#open?.rows.abort();
  }

  async #begin() {
    const draft = `${this.#options.draft}-${this.#closed.length}.draft`;
    const file = await this.#options.folder.openFile(draft);
    return { draft, rows: this.#options.part.begin(file), counts: new RowCounts() };
  }

  async #close(): Promise<void> {
    if (this.#open === undefined) return;
    const { draft, rows, counts } = this.#open;
    await rows.finish();
    this.#closed.push(await this.#options.folder.closeRowsFile(draft, counts, this.#options.split));
    this.#open = undefined;
  }
}
