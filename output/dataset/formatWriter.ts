import type { Split } from '../../schemas/manifest.ts';
import { RowCounts } from './datasetCounts.ts';
import type {
  DatasetFormat,
  DatasetRow,
  FormatLayout,
  FormatPart,
  FormatSources,
  RecordKind,
  RowFile,
  RowsFile,
} from './datasetFormat.ts';
import type { PartialFolder } from './partialFolder.ts';

/** A format that is to be written, with its files for this dataset. */
export interface PlannedFormat<Kind extends RecordKind = RecordKind> {
  readonly format: DatasetFormat<Kind>;
  readonly layout: FormatLayout<FormatSources[Kind]>;
}

type CountedRow = Pick<DatasetRow, 'inputIds' | 'trainedTokens'>;

/** A format and its files of rows. */
export interface FinishedFormat {
  readonly format: DatasetFormat;
  /** As in `WrittenFormat`. */
  readonly files: readonly RowsFile[];
}

/** Writes one format into a folder: its rows, split and sharded, then what stands beside them. */
export class FormatWriter<Kind extends RecordKind = 'trajectory'> {
  readonly #folder: PartialFolder;
  readonly #planned: PlannedFormat<Kind>;
  readonly #parts: readonly PartWriter[];

  /** @param shardBytes size at which a file ends and the next begins; `Infinity` for one file a split */
  constructor(folder: PartialFolder, planned: PlannedFormat<Kind>, shardBytes: number) {
    this.#folder = folder;
    this.#planned = planned;
    const { format, layout } = planned;
    this.#parts = layout.parts.map(
      (part, place) => new PartWriter({ folder, part, shardBytes, draft: `${format.name}-${place}` }),
    );
  }

  /** Its kinds of files of rows. */
  get parts(): FormatLayout<FormatSources[Kind]>['parts'] {
    return this.#planned.layout.parts;
  }

  /**
   * Writes a row.
   *
   * @param rows the row as each part has it, see `FormatPart.rowOf`
   * @param counts what it is made of: two rows for a pair
   */
  async add(rows: readonly unknown[], counts: readonly CountedRow[], split: Split): Promise<void> {
    for (const [place, part] of this.#parts.entries()) await part.add(rows[place], counts, split);
  }

  /** Ends the files of rows, gives them their names, and writes the other files of the format. */
  async finish(): Promise<FinishedFormat> {
    const hasValidation = this.#parts.some((part) => part.hasValidation);
    const files: RowsFile[] = [];
    for (const part of this.#parts) files.push(...(await part.finish()));
    for (const { path, text } of this.#planned.layout.companions({ files, hasValidation })) {
      await this.#folder.writeFile(path, text);
    }
    return { format: this.#planned.format, files };
  }

  /** Lets go of streams and native memory; the files are removed by others. */
  async abort(): Promise<void> {
    for (const part of this.#parts) await part.abort();
  }
}

interface PartWriterOptions {
  readonly folder: PartialFolder;
  readonly part: Pick<FormatPart, 'begin' | 'pathOf'>;
  /** Size at which a file ends and the next begins. */
  readonly shardBytes: number;
  /** Begins the names that files have until it is known how many there are; different for every part. */
  readonly draft: string;
}

const splits: readonly Split[] = ['train', 'validation'];

/** A file of rows that is being written. */
interface OpenShard {
  readonly draft: string;
  readonly rows: RowFile;
  readonly counts: RowCounts;
}

/** The files of one split, in order. */
class ShardedSplit {
  open: OpenShard | undefined;
  readonly closed: RowsFile[] = [];
}

/** Writes the files of one part of a format: a split each, cut into shards. */
class PartWriter {
  readonly #options: PartWriterOptions;
  readonly #splits: Readonly<Record<Split, ShardedSplit>> = {
    train: new ShardedSplit(),
    validation: new ShardedSplit(),
  };

  constructor(options: PartWriterOptions) {
    this.#options = options;
  }

  /** Whether there are rows of the validation split so far. */
  get hasValidation(): boolean {
    const { open, closed } = this.#splits.validation;
    return open !== undefined || closed.length > 0;
  }

  async add(row: unknown, counts: readonly CountedRow[], split: Split): Promise<void> {
    const shard = await this.#shardOf(split);
    await shard.rows.add(row);
    shard.counts.add(...counts);
    if (shard.rows.dataBytes >= this.#options.shardBytes) await this.#close(split);
  }

  /** Ends the files and gives them their names. The training split has a file even without rows. */
  async finish(): Promise<RowsFile[]> {
    if (this.#splits.train.closed.length === 0) await this.#shardOf('train');
    for (const split of splits) await this.#close(split);
    const { hasValidation } = this;
    const named: RowsFile[] = [];
    for (const split of splits) {
      const { closed } = this.#splits[split];
      for (const [shard, file] of closed.entries()) {
        const path = this.#options.part.pathOf({ split, shard, shards: closed.length, hasValidation });
        await this.#options.folder.renameFile(file.path, path);
        named.push({ ...file, path });
      }
    }
    return named;
  }

  async abort(): Promise<void> {
    for (const split of splits) await this.#splits[split].open?.rows.abort();
  }

  async #shardOf(split: Split): Promise<OpenShard> {
    const sharded = this.#splits[split];
    sharded.open ??= await this.#begin(split, sharded.closed.length);
    return sharded.open;
  }

  async #begin(split: Split, shard: number): Promise<OpenShard> {
    const draft = `${this.#options.draft}-${split}-${shard}.draft`;
    const file = await this.#options.folder.openFile(draft);
    return { draft, rows: this.#options.part.begin(file), counts: new RowCounts() };
  }

  async #close(split: Split): Promise<void> {
    const sharded = this.#splits[split];
    const { open } = sharded;
    if (open === undefined) return;
    await open.rows.finish();
    sharded.closed.push(await this.#options.folder.closeRowsFile(open.draft, open.counts, split));
    sharded.open = undefined;
  }
}
