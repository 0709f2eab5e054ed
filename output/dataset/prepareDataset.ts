import type { Tokenizer } from '../../contract/tokenizer.ts';
import type { DatasetConfig } from '../../schemas/config/dataset.ts';
import type { TrainingConfig } from '../../schemas/config/training.ts';
import { type ChatTemplate, loadChatTemplate } from '../chatTemplates/chatTemplate.ts';
import { refuseInterpolation } from '../quoting/hydraOverride.ts';
import type { RecordKind } from './datasetFormat.ts';
import { mixedFormat, pairsFormat, trajectoriesFormat } from './formats/canonicalFormats.ts';
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
}

/** What rows are written with: the formats of each kind, canonical records first, and the chat template. */
export interface PreparedDataset {
  readonly formats: { readonly [Kind in RecordKind]: readonly PlannedFormat<Kind>[] };
  readonly template: ChatTemplate;
}

/**
 * Looks at all that a dataset is written with, without writing anything.
 *
 * @throws UserError when the chat template can't be used with the tokenizer, when a format can't hold what the options
 * make of rows, or when the model's name can't stand in a trainer's configuration
 */
export async function prepareDataset(settings: DatasetSettings): Promise<PreparedDataset> {
  const { dataset, training, tokenizer } = settings;
  const chosen = chooseFormats(dataset);
  const hasPairs = chosen.some(({ records }) => records === 'pair');
  const named = { ...settings, tokenizer: tokenizer.name };
  const canonical = [
    trajectoriesFormat,
    ...(hasPairs ? [pairsFormat] : []),
    ...(dataset.mix ? [mixedFormat] : []),
  ];
  const planned = [...canonical, ...chosen].map((format) => ({
    format,
    layout: format.layoutOf(named),
    settings: named,
  }));
  const ofKind = <Kind extends RecordKind>(kind: Kind) =>
    planned.filter(({ format }) => format.records === kind) as unknown as PlannedFormat<Kind>[];
  // The trainers' configurations are written last: a name that none can hold must not cost the whole export.
  refuseInterpolation('training.model', training.model);
  return {
    formats: {
      trajectory: ofKind('trajectory'),
      pair: ofKind('pair'),
      task: ofKind('task'),
      mixed: ofKind('mixed'),
    },
    template: await loadChatTemplate(dataset, tokenizer),
  };
}
