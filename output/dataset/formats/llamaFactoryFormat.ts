import { llamaFactoryRow } from '../../../schemas/rows/shareGpt.ts';
import {
  type DatasetFormat,
  maskedCapabilities,
  type SftRow,
  type TextFile,
  type WrittenFormat,
} from '../datasetFormat.ts';
import { datasetInfo, jsonPart, namesOfSplit, writtenRow } from './formatParts.ts';
import { llamaFactoryConfig } from './llamaFactoryConfig.ts';

/** `llama_factory/`: text rows for unmodified LLaMA-Factory, with their description and a training configuration. */
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
  // Turns are trained or not, and encoded separately, like the stretches of a row with `boundary_tokens: apart`.
  capabilities: maskedCapabilities,
  layoutOf: (settings) => ({
    parts: [jsonPart((row: SftRow) => writtenRow(llamaFactoryRow(row)), 'llama_factory/')],
    guide: (written) => ({
      files: [
        shareGptInfo(settings.name, 'llama_factory', written.files, { messages: 'conversations' }),
        llamaFactoryConfig('llama_factory', settings, written, {
          dataset: namesOfSplit(settings.name, 'llama_factory', written.files, 'train'),
          evalDataset: namesOfSplit(settings.name, 'llama_factory', written.files, 'validation'),
        }),
      ],
      start: 'llamafactory-cli train train.yaml',
      beware: [
        'A lower `cutoff_len` cuts rows, and any other `template` writes the markup a second time.',
        'LLaMA-Factory drops a row whose turns do not alternate with no more than a warning; none of these does. Compare the number of rows after its preprocessing.',
      ],
    }),
  }),
};

/** `dataset_info.json` for rows with turns. All keys are written, since missing ones would become None. */
export function shareGptInfo(
  dataset: string,
  folder: string,
  files: WrittenFormat['files'],
  columns: { readonly messages: string; readonly chosen?: string; readonly rejected?: string },
): TextFile {
  const text = datasetInfo(dataset, folder, files, (file_name) => ({
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
