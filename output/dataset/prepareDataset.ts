import type { Tokenizer } from '../../contract/tokenizer.ts';
import type { DatasetConfig } from '../../schemas/config/dataset.ts';
import type { TrainingConfig } from '../../schemas/config/training.ts';
import { type ChatTemplate, loadChatTemplate } from '../chatTemplates/chatTemplate.ts';
import { refuseInterpolation } from '../quoting/interpolation.ts';
import { trajectoriesFormat } from './formats/trajectoriesFormat.ts';
import { chooseFormats } from './formatTable.ts';
import type { PlannedFormat } from './formatWriter.ts';

/** What shapes a dataset besides its rows. */
export interface DatasetSettings {
  /** Names the data set in trainers' files. */
  readonly name: string;
  readonly tokenizer: Tokenizer;
  readonly dataset: DatasetConfig;
  readonly training: TrainingConfig;
}

/** What rows are written with. */
export interface PreparedDataset {
  /** The canonical records, then the chosen formats. */
  readonly formats: readonly PlannedFormat[];
  readonly template: ChatTemplate;
}

/**
 * Looks at all that a dataset is written with, without writing anything.
 *
 * @throws UserError when the chat template can't be used with the tokenizer, when a format can't hold what the options
 * make of rows, or when the model's name can't stand in a trainer's configuration
 */
export async function prepareDataset(settings: DatasetSettings): Promise<PreparedDataset> {
  const { name, dataset, training, tokenizer } = settings;
  const formats = [trajectoriesFormat, ...chooseFormats(dataset)].map((format) => ({
    format,
    layout: format.layoutOf({ name, dataset, training, tokenizer: tokenizer.name }),
  }));
  // The trainers' configurations are written last: a name that none can hold must not cost the whole export.
  refuseInterpolation('training.model', training.model);
  const template = await loadChatTemplate(dataset, tokenizer);
  return { formats, template };
}
