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
  readonly name: string;
  readonly tokenizer: Tokenizer;
  readonly dataset: DatasetConfig;
  readonly training: TrainingConfig;
  readonly toolTags?: readonly string[];
}

/** Formats of each kind, canonical records first, and the chat template. */
export interface PreparedDataset {
  readonly formats: { readonly [Kind in RecordKind]: readonly PlannedFormat<Kind>[] };
  readonly template: ChatTemplate;
}

/**
 * Checks and loads all inputs of a dataset, without writing.
 *
 * @throws UserError if the chat template does not fit the tokenizer, a format can't hold the configured rows, or the
 * model's name does not fit in a trainer's configuration
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
  // Checked now, since trainer configurations are written last, after the whole export.
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
