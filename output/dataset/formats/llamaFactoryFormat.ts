import { RecordFailure } from '../../../contract/errors.ts';
import {
  type LlamaFactoryRow,
  llamaFactoryRowSchema,
  type ShareGptDatasetInfo,
} from '../../../schemas/trainers/llamaFactory.ts';
import { type Piece, rowTurns } from '../../rows/rowPieces.ts';
import {
  type DatasetFormat,
  type FormatSettings,
  maskedCapabilities,
  type WrittenFormat,
} from '../datasetFormat.ts';
import { type CompanionFile, withReadme } from '../formatReadme.ts';
import { datasetInfo, jsonPart, namesOfSplit } from './formatParts.ts';
import { llamaFactoryConfig } from './llamaFactoryConfig.ts';

/** `llama_factory/`: text rows for stock LLaMA-Factory, their description and the configuration that trains on them. */
export const llamaFactoryFormat: DatasetFormat<'trajectory'> = {
  name: 'llama_factory',
  records: 'trajectory',
  columns: ['conversations'],
  readers: ['llama-factory'],
  card: {
    opened: '`load_dataset(FOLDER, "llama_factory")`',
    trainer: 'stock LLaMA-Factory, as text',
    mask: 'LLaMA-Factory, by turn (`template: empty`)',
  },
  // A turn is in the loss or not, and is encoded by itself: so are the stretches of a row that is encoded apart.
  capabilities: maskedCapabilities,
  layoutOf: (settings) => ({
    parts: [jsonPart(({ pieces }) => llamaFactoryRow(pieces), 'llama_factory/')],
    companions: (written) =>
      withReadme(llamaFactoryFormat, settings, written, {
        files: [
          shareGptInfo(settings.name, 'llama_factory', written.files, { messages: 'conversations' }),
          trainYaml(settings, written),
        ],
        start: 'llamafactory-cli train train.yaml',
        beware: [
          'A lower `cutoff_len` cuts rows, and any other `template` writes the markup a second time.',
          'LLaMA-Factory drops a row whose turns do not alternate with no more than a warning; none of these does. Compare the number of rows after its preprocessing.',
        ],
      }),
  }),
};

function trainYaml({ name, dataset, training }: FormatSettings, written: WrittenFormat): CompanionFile {
  const namesIn = (split: 'train' | 'validation') =>
    namesOfSplit(name, 'llama_factory', written.files, split);
  const validation = written.hasValidation && { evalDataset: namesIn('validation') };
  return llamaFactoryConfig('llama_factory', {
    training,
    cutoffLen: dataset.cutoff_len,
    dataset: namesIn('train'),
    ...validation,
  });
}

/** `dataset_info.json` of rows with turns. */
export function shareGptInfo(
  dataset: string,
  folder: string,
  files: WrittenFormat['files'],
  columns: ShareGptDatasetInfo[string]['columns'],
): CompanionFile {
  const text = datasetInfo(dataset, folder, files, (file_name): ShareGptDatasetInfo[string] => ({
    file_name,
    formatting: 'sharegpt',
    ranking: columns.chosen !== undefined,
    split: 'train',
    columns,
    tags: {
      role_tag: 'from',
      content_tag: 'value',
      user_tag: 'human',
      assistant_tag: 'gpt',
      observation_tag: 'observation',
      function_tag: 'function_call',
      system_tag: 'system',
    },
  }));
  return { path: `${folder}/dataset_info.json`, text, what: 'names the text rows for LLaMA-Factory' };
}

/** What LLaMA-Factory (template.py, `_encode`) writes the turn's number for, once, in turns of `human` alone. */
const turnNumber = '{{idx}}';

/** Who speaks the beginning of a row: with `template: empty` both are written alike, and an observation stays as it is. */
export function promptRole(text: string): 'human' | 'observation' {
  return text.includes(turnNumber) ? 'observation' : 'human';
}

/**
 * A row in LLaMA-Factory's turns: what is trained as `gpt`, what is not as `human` at the beginning and `observation`
 * after it. A beginning in which LLaMA-Factory would replace words is an `observation` too.
 *
 * @throws RecordFailure when the row has no trained text after an untrained beginning
 */
export function llamaFactoryRow(pieces: readonly Piece[]): LlamaFactoryRow {
  const conversations = rowTurns(pieces).map(({ trained, text }, place) => ({
    from: trained ? 'gpt' : place === 0 ? promptRole(text) : 'observation',
    value: text,
  }));
  const parsed = llamaFactoryRowSchema.safeParse({ conversations });
  if (parsed.success) return parsed.data;
  throw new RecordFailure('internal', 'the turns do not alternate between the model and others', {
    turns: conversations.map((turn) => turn.from).join(' '),
  });
}
