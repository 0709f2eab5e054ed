import type { Tokenizer } from '../../contract/tokenizer.ts';
import type { DatasetConfig } from '../../schemas/config/dataset.ts';
import type { TrainingConfig } from '../../schemas/config/training.ts';
import { trajectoryRow, trajectoryRowSchema } from '../../schemas/trainers/trajectoryRow.ts';
import { type ChatTemplate, loadChatTemplate } from '../chatTemplates/chatTemplate.ts';
import { refuseInterpolation } from '../quoting/hydraOverride.ts';
import {
  type DatasetFormat,
  type DatasetPair,
  type DatasetRow,
  type FormatLayout,
  type FormatPart,
  type RecordKind,
  weightedCapabilities,
} from './datasetFormat.ts';
import { jsonLinesFile } from './files/jsonFiles.ts';
import { shardName } from './formats/splitFiles.ts';
import { chooseFormats } from './formatTable.ts';
import type { PlannedFormat } from './formatWriter.ts';

export interface DatasetSettings {
  /** Names the data set in trainers' files. */
  readonly name: string;
  readonly tokenizer: Tokenizer;
  readonly dataset: DatasetConfig;
  readonly training: TrainingConfig;
  /** See `FormatSettings`. */
  readonly toolTags?: readonly string[];
  /** Whether reviewers marked segments of rows, which then are in no loss; default: false. */
  readonly hasMarks?: boolean;
}

/** What rows are written with. */
export interface PreparedDataset {
  /** The canonical records, then the chosen formats of a row a trajectory. */
  readonly formats: readonly PlannedFormat<'trajectory'>[];
  /** The canonical pairs, then the chosen formats that compare two trajectories; none where none is chosen. */
  readonly pairFormats: readonly PlannedFormat<'pair'>[];
  /** The chosen formats of a row a task. */
  readonly taskFormats: readonly PlannedFormat<'task'>[];
  readonly template: ChatTemplate;
}

/**
 * Looks at all that a dataset is written with, without writing anything.
 *
 * @throws UserError when the chat template can't be used with the tokenizer, when a format can't hold what the options
 * make of rows, or when the model's name can't stand in a trainer's configuration
 */
export async function prepareDataset(settings: DatasetSettings): Promise<PreparedDataset> {
  const { name, dataset, training, tokenizer, toolTags = [], hasMarks } = settings;
  const chosen = chooseFormats({ ...dataset, hasMarks });
  const canonical = [trajectoriesFormat, ...(chosen.some(isOfPairs) ? [pairsFormat] : [])];
  const planned = [...canonical, ...chosen].map(
    (format): PlannedFormat => ({
      format,
      layout: format.layoutOf({ name, dataset, training, tokenizer: tokenizer.name, toolTags }),
    }),
  );
  // The trainers' configurations are written last: a name that none can hold must not cost the whole export.
  refuseInterpolation('training.model', training.model);
  const template = await loadChatTemplate(dataset, tokenizer);
  return {
    formats: ofKind(planned, 'trajectory'),
    pairFormats: ofKind(planned, 'pair'),
    taskFormats: ofKind(planned, 'task'),
    template,
  };
}

function isOfPairs({ records }: DatasetFormat): boolean {
  return records === 'pair';
}

function ofKind<Kind extends RecordKind>(planned: readonly PlannedFormat[], kind: Kind) {
  return planned.filter(({ format }) => format.records === kind) as unknown as PlannedFormat<Kind>[];
}

/**
 * `trajectories.jsonl`: the canonical records, one a line, as they are before anything is rendered. Lone surrogates
 * in any text become U+FFFD.
 */
export const trajectoriesFormat: DatasetFormat<'trajectory'> = {
  name: 'trajectories',
  records: 'trajectory',
  columns: Object.keys(trajectoryRowSchema.shape),
  readers: [],
  card: {
    opened: '`load_dataset(FOLDER)`',
    trainer: 'reading; all else derives from it',
    mask: 'each segment has its `origin`',
  },
  capabilities: weightedCapabilities,
  layoutOf: () => canonicalLayout('trajectories', ({ trajectory }: DatasetRow) => trajectoryRow(trajectory)),
};

/** `pairs.jsonl`: the two canonical records of each pair, beside every format that compares trajectories. */
export const pairsFormat: DatasetFormat<'pair'> = {
  name: 'pairs',
  records: 'pair',
  columns: ['chosen', 'rejected'],
  readers: [],
  card: {
    opened: '`load_dataset(FOLDER, "pairs")`',
    trainer: 'reading; the formats of pairs derive from it',
    mask: 'each segment has its `origin`',
  },
  capabilities: weightedCapabilities,
  layoutOf: () =>
    canonicalLayout('pairs', ({ chosen, rejected }: DatasetPair) => ({
      chosen: trajectoryRow(chosen.trajectory),
      rejected: trajectoryRow(rejected.trajectory),
    })),
};

function canonicalLayout<Source>(
  stem: string,
  rowOf: FormatPart<unknown, Source>['rowOf'],
): FormatLayout<Source> {
  return {
    parts: [
      {
        rowOf: (source) => JSON.stringify(rowOf(source), wellFormed),
        begin: jsonLinesFile,
        pathOf: (place) => shardName(place.split === 'train' ? stem : `${stem}-validation`, 'jsonl', place),
      },
    ],
    companions: () => [],
  };
}

function wellFormed(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
