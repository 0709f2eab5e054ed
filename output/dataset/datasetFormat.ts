import type { AtomicFile } from '../../base/files/atomicFile.ts';
import type { RlTaskChoice } from '../../contract/datasetWriter.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { DatasetConfig } from '../../schemas/config/dataset.ts';
import type { DatasetFormatName } from '../../schemas/config/datasetFormatNames.ts';
import type { TrainingConfig } from '../../schemas/config/training.ts';
import type { ManifestFile, Split } from '../../schemas/manifest.ts';
import type { MixedRow } from '../../schemas/mixedRow.ts';
import type { Sample } from '../../schemas/sample.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { Piece } from '../rows/rowPieces.ts';
import type { TokenisedRow } from '../rows/tokeniseRow.ts';
import type { ReaderName } from './datasetReaders.ts';

/** Row from which every format is derived. */
export interface DatasetRow extends TokenisedRow {
  readonly trajectory: Trajectory;
  /** Texts as in the row: added tokens escaped, and the end cut off if too long. */
  readonly rendered: Pick<Trajectory, 'system' | 'user' | 'question' | 'segments'>;
  readonly profile: Profile;
  readonly escapedTokens: number;
  /** Number of texts repaired to well-formed Unicode in normal form C. */
  readonly repairedTexts: number;
  /** Text of the row: chat markup, prompt, segments, end of turn. */
  readonly pieces: readonly Piece[];
  /** Part that was cut off the end, counted in the whole row; absent if nothing was. */
  readonly cut?: NonNullable<Sample['cut']>;
}

/** Row of `dataset.mix`: pieces, ids and mask as for a trajectory, with its turns. */
export interface MixedDatasetRow extends TokenisedRow {
  readonly record: MixedRow;
  readonly pieces: readonly Piece[];
}

/** Source of fine-tuning formats. */
export type SftRow = Pick<DatasetRow, 'rendered' | 'pieces' | keyof TokenisedRow> | MixedDatasetRow;

/** Two rows of one prompt, of which the chosen one is better. */
export type DatasetPair = Readonly<Record<'chosen' | 'rejected', DatasetRow>>;

/** Task with its prompt as in rows. */
export interface DatasetTask extends Pick<RlTaskChoice, 'task' | 'rate'> {
  readonly system: string;
  readonly user: string;
  /** Tool tags of its profile. */
  readonly tools: readonly string[];
  readonly promptTokens: number;
}

/** Source of a format's row by kind: a trajectory, a pair, a task, or a mixed row. */
export interface FormatSources {
  readonly trajectory: DatasetRow;
  readonly pair: DatasetPair;
  readonly task: DatasetTask;
  readonly mixed: MixedDatasetRow;
}
export type RecordKind = keyof FormatSources;

/** Definition of a dataset format, without effects; `FormatWriter` does the writing. */
export interface DatasetFormat<Kind extends RecordKind = RecordKind> {
  /**
   * Name and folder. `trajectories`: canonical records, always written; `pairs`: canonical pairs, written with every
   * format of pairs; `mixed`: rows of `dataset.mix`, if set.
   */
  readonly name: DatasetFormatName | 'trajectories' | 'pairs' | 'mixed';
  readonly records: Kind;
  /** Columns of its rows over all kinds of files, without those that an option adds. */
  readonly columns: readonly string[];
  /** Trainers that read it; tests prove its mask with their own preprocessing. */
  readonly readers: readonly ReaderName[];
  /** Its line on the dataset card, in Markdown: opening, reader, and how the mask is applied. */
  readonly card: Readonly<Record<'opened' | 'trainer' | 'mask', string>>;
  readonly capabilities: FormatCapabilities;
  /**
   * Paths and content of its files.
   *
   * @throws UserError for settings that the format does not support and its capabilities do not express
   */
  layoutOf(settings: FormatSettings): FormatLayout<FormatSources[Kind]>;
}

export interface FormatLayout<Source = DatasetRow> {
  /** Kinds of row files; each holds every row. Most formats have one. */
  readonly parts: readonly FormatPart<unknown, Source>[];
  /** Files without rows, and README content; absent: none. Called once at the end. */
  guide?(written: WrittenFormat): FormatGuide;
}

/** Row files of one kind, one per split and shard. */
export interface FormatPart<Row = unknown, Source = DatasetRow> {
  /**
   * Converts a row. The result must be copyable between threads; for text files it is their JSON. Pure. Called for
   * every chosen format before any writes the row, so that a row which one of them can't hold is in none.
   *
   * @throws RecordFailure for such a row
   */
  rowOf(source: Source): Row;
  begin(file: OpenFile): RowFile<Row>;
  /** Path of a file inside the dataset folder, with forward slashes; unique for each place. */
  pathOf(place: FilePlace): string;
}

/** File being written; opened and closed by the caller. */
export type OpenFile = Pick<AtomicFile, 'write' | 'bytes'>;

/** Row file being written; rows arrive in order, one at a time. */
export interface RowFile<Row = unknown> {
  add(row: Row): Promise<void>;
  /**
   * Size of the rows so far, which decides when a new file begins: bytes of text files, or of uncompressed columns.
   * Identical on every machine.
   */
  readonly dataBytes: number;
  /** Flushes and writes the file's end; the caller closes the file. */
  finish(): Promise<void>;
  /** Releases streams and native memory. */
  abort(): Promise<void>;
}

/** Position of a file among those of one part. */
export interface FilePlace {
  readonly split: Split;
  readonly shard: number;
  readonly shards: number;
  /** True if the dataset has a validation split; otherwise paths name no split. */
  readonly hasValidation: boolean;
}

/** State of a finished format, passed to its guide. */
export interface WrittenFormat {
  /** Row files: part by part, training split first, in row order. */
  readonly files: readonly RowsFile[];
  readonly hasValidation: boolean;
}

export type RowsFile = ManifestFile & { readonly rows: number; readonly split: Split };

export interface TextFile {
  readonly path: string;
  readonly text: string;
  /** Its description in the format's README; absent: not mentioned. */
  readonly what?: string;
}

/** README content beyond the format's table row, as Markdown; `docs/formats.md` has the details. */
export interface FormatGuide {
  /** Files beside the rows: descriptions, ready configurations, programs. */
  readonly files: readonly TextFile[];
  /** Descriptions of further files that others write, by name. */
  readonly others?: Readonly<Record<string, string>>;
  /** Start of training: a command, or Markdown. */
  readonly start: string;
  /** Warnings, above all about what would break the mask. */
  readonly beware: readonly (string | false)[];
}

export interface FormatSettings {
  /** Name of the dataset in trainers' files: letters, digits, dots, dashes and underscores. */
  readonly name: string;
  readonly dataset: DatasetConfig;
  readonly training: TrainingConfig;
  readonly tokenizer: string;
  /** Tool tags of the tasks' profiles, for formats of tasks. Default: none. */
  readonly toolTags?: readonly string[];
}

/** Rows that a format can hold such that its trainer applies the mask correctly. */
export interface FormatCapabilities {
  /** Model text outside of the loss, depending on `dataset.mask`. */
  readonly untrainedModelText: boolean;
  /** Loss weights other than 0 and 1. */
  readonly lossWeights: boolean;
  /** Rows with a cut-off end, without an end of turn. */
  readonly cutRows: boolean;
  /** Ids that differ from those of the whole text (`dataset.boundary_tokens: apart`). */
  readonly segmentsApart: boolean;
  /** Presets of `dataset.chat_template` that its trainer supports; `any` if rows contain the markup. */
  readonly chatTemplates: 'any' | readonly string[];
  /**
   * Rows of `dataset.mix`: any number of turns, each in the loss or not. Its rows are then made from {@link SftRow}.
   */
  readonly mixedRows: boolean;
}

/** Capabilities of formats with a mask per token and their own chat markup. */
export const maskedCapabilities: FormatCapabilities = {
  untrainedModelText: true,
  lossWeights: false,
  cutRows: true,
  segmentsApart: true,
  chatTemplates: 'any',
  mixedRows: true,
};
export const weightedCapabilities: FormatCapabilities = { ...maskedCapabilities, lossWeights: true };
