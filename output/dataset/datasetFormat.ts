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

/** One row, from which every format is derived. */
export interface DatasetRow extends TokenisedRow {
  /** The canonical record. */
  readonly trajectory: Trajectory;
  /** The same with texts as the row has them: added tokens of the tokenizer escaped, the end cut off if too long. */
  readonly rendered: Pick<Trajectory, 'system' | 'user' | 'question' | 'segments'>;
  readonly profile: Profile;
  /** Places of the row's texts where an added token of the tokenizer was escaped. */
  readonly escapedTokens: number;
  /** Texts that were no well-formed Unicode in normal form C, and are now. */
  readonly repairedTexts: number;
  /** The row's text: chat markup, prompt, segments, end of turn. */
  readonly pieces: readonly Piece[];
  /** What was cut off its end, in the words of the whole row; absent where nothing was. */
  readonly cut?: NonNullable<Sample['cut']>;
}

/** A row of `dataset.mix`: pieces, ids and mask as those of a trajectory's, and its turns instead of one. */
export interface MixedDatasetRow extends TokenisedRow {
  readonly record: MixedRow;
  readonly pieces: readonly Piece[];
}

/** What formats for fine-tuning are written from. */
export type SftRow = Pick<DatasetRow, 'rendered' | 'pieces' | keyof TokenisedRow> | MixedDatasetRow;

/** Two rows of one prompt, of which the chosen one is better. */
export type DatasetPair = Readonly<Record<'chosen' | 'rejected', DatasetRow>>;

/** A task, with its prompt as rows have it. */
export interface DatasetTask extends Pick<RlTaskChoice, 'task' | 'rate'> {
  readonly system: string;
  readonly user: string;
  /** Tags of its profile's tools. */
  readonly tools: readonly string[];
  readonly promptTokens: number;
}

/** What a row of a format is made from, by its kind: one trajectory, two that are compared, a task, or a row of others. */
export interface FormatSources {
  readonly trajectory: DatasetRow;
  readonly pair: DatasetPair;
  readonly task: DatasetTask;
  readonly mixed: MixedDatasetRow;
}
export type RecordKind = keyof FormatSources;

/** A format of the dataset: all that is known of it, as rules without effects. `FormatWriter` does the writing. */
export interface DatasetFormat<Kind extends RecordKind = RecordKind> {
  /**
   * Also its folder. `trajectories`: the canonical records, which are always there; `pairs`: the canonical pairs, which
   * are there with every format of pairs; `mixed`: the rows of `dataset.mix`, which are there where it is.
   */
  readonly name: DatasetFormatName | 'trajectories' | 'pairs' | 'mixed';
  readonly records: Kind;
  /** The columns of its rows, of all its kinds of files; columns that an option adds are left out. */
  readonly columns: readonly string[];
  /** The trainers whose own preprocessing reads it, and whose tests prove its mask. */
  readonly readers: readonly ReaderName[];
  /** Its line on the dataset card, in Markdown: what opens it, who reads it, who applies the mask and by what. */
  readonly card: Readonly<Record<'opened' | 'trainer' | 'mask', string>>;
  readonly capabilities: FormatCapabilities;
  /**
   * Where its files lie and what they hold.
   *
   * @throws UserError for settings that the format can't do with, and that its capabilities don't say
   */
  layoutOf(settings: FormatSettings): FormatLayout<FormatSources[Kind]>;
}

/** The files of a format, for one dataset's settings. */
export interface FormatLayout<Source = DatasetRow> {
  /** Its kinds of files of rows; each holds every row. Most formats have one. */
  readonly parts: readonly FormatPart<unknown, Source>[];
  /** The files that hold no rows, and what its README says; absent: neither. Asked for once, at the end. */
  guide?(written: WrittenFormat): FormatGuide;
}

/** Files of one kind that hold the rows of a format, one file a split and shard. */
export interface FormatPart<Row = unknown, Source = DatasetRow> {
  /**
   * The row as the format has it: what can be copied from the thread that renders to the one that writes, for files
   * of text their JSON. Pure. Called for every chosen format before any of them writes the row: a row that
   * one of them can't say is in none.
   *
   * @throws RecordFailure for such a row
   */
  rowOf(source: Source): Row;
  begin(file: OpenFile): RowFile<Row>;
  /** Path of a file inside the dataset folder, with forward slashes. Different places have different paths. */
  pathOf(place: FilePlace): string;
}

/** A file while it is written; others open and close it. */
export type OpenFile = Pick<AtomicFile, 'write' | 'bytes'>;

/** One file of rows while it is written. Rows come in order, one at a time. */
export interface RowFile<Row = unknown> {
  add(row: Row): Promise<void>;
  /**
   * Size of the rows taken so far, which decides when a new file begins: the bytes of text files, those of the
   * columns before compression of binary ones. The same rows have the same size on every machine.
   */
  readonly dataBytes: number;
  /** Writes what is still held back, and the file's end. The file itself is closed by others. */
  finish(): Promise<void>;
  /** Lets go of streams and native memory. */
  abort(): Promise<void>;
}

/** Which of the files of one part a file is. */
export interface FilePlace {
  readonly split: Split;
  /** From 0. */
  readonly shard: number;
  /** How many files the split has. */
  readonly shards: number;
  /** Whether the dataset has a validation split. Without one the layout names no splits. */
  readonly hasValidation: boolean;
}

/** What was written of a format by the time its guide is asked for. */
export interface WrittenFormat {
  /** Files of rows: part by part, training split first, in the order of the rows. */
  readonly files: readonly RowsFile[];
  readonly hasValidation: boolean;
}

/** A finished file of rows. */
export type RowsFile = ManifestFile & { readonly rows: number; readonly split: Split };

/** A file without rows. */
export interface TextFile {
  /** Path inside the dataset folder, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** What the README of the format says of it; absent: nothing. */
  readonly what?: string;
}

/** What a README says that the format's row of the table doesn't. Markdown; `docs/formats.md` has the longer words. */
export interface FormatGuide {
  /** The files beside the rows: descriptions, ready configurations, programs. */
  readonly files: readonly TextFile[];
  /** What further files are that others write, by name. */
  readonly others?: Readonly<Record<string, string>>;
  /** How training is started: a command, or Markdown. */
  readonly start: string;
  /** What would break the mask, and other things to know. */
  readonly beware: readonly (string | false)[];
}

export interface FormatSettings {
  /** Names the data set in trainers' files; letters, digits, dots, dashes and underscores. */
  readonly name: string;
  readonly dataset: DatasetConfig;
  readonly training: TrainingConfig;
  /** The tokenizer's name. */
  readonly tokenizer: string;
  /** Tags of the tools that the tasks' profiles have, for formats of tasks; absent: none. */
  readonly toolTags?: readonly string[];
}

/** What rows a format can hold so that its trainer does what the mask says. */
export interface FormatCapabilities {
  /** Model text that is not in the loss, as the options of `dataset.mask` leave it. */
  readonly untrainedModelText: boolean;
  /** Loss weights other than 0 and 1. */
  readonly lossWeights: boolean;
  /** Rows whose end was cut off, which no end of turn follows. */
  readonly cutRows: boolean;
  /** Ids that the row's text as a whole would not have (`dataset.boundary_tokens: apart`). */
  readonly segmentsApart: boolean;
  /** The presets of `dataset.chat_template` that its trainer can be told of; `any` where the rows carry the markup. */
  readonly chatTemplates: 'any' | readonly string[];
  /** Rows of `dataset.mix`: any number of turns, each in the loss or not. Its rows are then made of {@link SftRow}. */
  readonly mixedRows: boolean;
}

/** Of formats whose rows say for every token whether it is in the loss, and carry the chat markup themselves. */
export const maskedCapabilities: FormatCapabilities = {
  untrainedModelText: true,
  lossWeights: false,
  cutRows: true,
  segmentsApart: true,
  chatTemplates: 'any',
  mixedRows: true,
};
/** Of formats that also have a weight for every token. */
export const weightedCapabilities: FormatCapabilities = { ...maskedCapabilities, lossWeights: true };
