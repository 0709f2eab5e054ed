import { qwenSystemPrompt } from '../../../schemas/config/dataset.ts';
import { alpacaRow } from '../../../schemas/rows/alpaca.ts';
import type { DatasetFormat, DatasetRow, FormatSettings, WrittenFormat } from '../datasetFormat.ts';
import { jsonArrayFile } from '../files/jsonFiles.ts';
import { datasetInfo, jsonPart, namesOfSplit, writtenRow } from './formatParts.ts';

/** `afm/<name>.json`: AFM's released layout, one JSON array, with its description for LLaMA-Factory. */
export const afmFormat: DatasetFormat<'trajectory'> = {
  name: 'afm',
  records: 'trajectory',
  columns: ['instruction', 'input', 'output'],
  readers: [],
  card: {
    opened: '`load_dataset(FOLDER, "afm")`',
    trainer: "AFM's fork of LLaMA-Factory",
    mask: 'the fork, by the tokens of `<observation>`',
  },
  // The fork masks only observations, and writes the prompt and the end of the turn itself.
  capabilities: {
    untrainedModelText: false,
    lossWeights: false,
    cutRows: false,
    segmentsApart: false,
    chatTemplates: ['chatml'],
    mixedRows: false,
  },
  layoutOf(settings) {
    const { name } = settings;
    // A dataset named `dataset_info` would overwrite its description.
    const stem = name === 'dataset_info' ? 'dataset_info-rows' : name;
    const stems = { train: stem, validation: `${stem}-validation` };
    return {
      parts: [
        jsonPart((row: DatasetRow) => writtenRow(alpacaRow(row)), 'afm/', { stems, begin: jsonArrayFile }),
      ],
      guide: (written) => ({
        files: [
          {
            path: 'afm/dataset_info.json',
            text: datasetInfo(name, 'afm', written.files, infoEntry),
            what: 'names them for LLaMA-Factory',
          },
        ],
        start: startOf(settings, written),
        beware: [
          'Stock LLaMA-Factory stops at `ignore_observation`, and trains the observations without it: give it `llama_factory/` or `tokenized/`.',
          "`packing: true` turns the fork's mask off without a word.",
          "A tokenizer in which `<observation` has other tokens than in Qwen2.5's needs a pattern of its own in the fork.",
          ...(settings.dataset.system_prompt === qwenSystemPrompt
            ? []
            : ["This layout has no column for the dataset's system prompt: `template: qwen` writes Qwen's."]),
        ],
      }),
    };
  },
};

/** All keys are written, since missing ones would become None. */
function infoEntry(file_name: string): object {
  const columns = { prompt: 'instruction', query: 'input', response: 'output' };
  return { file_name, formatting: 'alpaca', columns };
}

function startOf({ name, dataset }: FormatSettings, { files }: WrittenFormat): string {
  const validation = namesOfSplit(name, 'afm', files, 'validation');
  return `In the fork's configuration, besides the model and its settings:

\`\`\`yaml
dataset_dir: .
dataset: ${namesOfSplit(name, 'afm', files, 'train')}
${validation === '' ? '' : `eval_dataset: ${validation}\n`}template: qwen
cutoff_len: ${dataset.cutoff_len}
packing: false
ignore_observation: true
ignore_observation_token: observation
\`\`\``;
}
