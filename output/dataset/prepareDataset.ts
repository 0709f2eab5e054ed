import type { Tokenizer } from '../../contract/tokenizer.ts';
import type { DatasetConfig } from '../../schemas/config/dataset.ts';
import type { TrainingConfig } from '../../schemas/config/training.ts';
import { type ChatTemplate, loadChatTemplate } from '../chatTemplates/chatTemplate.ts';
import { refuseInterpolation } from '../quoting/hydraOverride.ts';
import type { DatasetFormat, RecordKind } from './datasetFormat.ts';
import { pairsFormat, trajectoriesFormat } from './formats/canonicalFormats.ts';
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
