import { RecordFailure } from '../../../contract/errors.ts';
import { renderPrompt } from '../../../schemas/coa/profile.ts';
import { qwenSystemPrompt } from '../../../schemas/config/dataset.ts';
import type { Split } from '../../../schemas/manifest.ts';
import type { AfmRow, AlpacaDatasetInfo } from '../../../schemas/trainers/afmMask.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import type {
  DatasetFormat,
  DatasetRow,
  FormatLayout,
  FormatSettings,
  WrittenFormat,
} from '../datasetFormat.ts';
import { jsonArrayFile } from '../files/jsonFiles.ts';
import { renderFormatReadme, rowsFileList } from '../formatReadme.ts';
import { datasetNames, shardName } from './splitFiles.ts';

/** `afm/<name>.json`: AFM's released layout, one JSON array, and its description for LLaMA-Factory. */
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
  // The fork masks observations and nothing else, and writes the prompt and the end of the turn itself.
  capabilities: {
    untrainedModelText: false,
    lossWeights: false,
    cutRows: false,
    segmentsApart: false,
    chatTemplates: ['chatml'],
  },
  layoutOf: afmLayout,
};

function afmLayout(settings: FormatSettings): FormatLayout {
  const { name } = settings;
  const stem = fileStem(name);
  return {
    parts: [
      {
        rowOf: (row) => JSON.stringify(afmRow(row)),
        begin: jsonArrayFile,
        pathOf: (place) =>
          `afm/${shardName(place.split === 'train' ? stem : `${stem}-validation`, 'json', place)}`,
      },
    ],
    companions: (written) => [
      { path: 'afm/dataset_info.json', text: `${JSON.stringify(datasetInfo(name, written), null, 2)}\n` },
      { path: 'afm/README.md', text: afmReadme(settings, written) },
    ],
  };
}

/** A data set of the name `dataset_info` must not lie where its description does. */
function fileStem(name: string): string {
  return name === 'dataset_info' ? 'dataset_info-rows' : name;
}

function datasetInfo(dataset: string, { files }: WrittenFormat): AlpacaDatasetInfo {
  const named = (['train', 'validation'] as const).flatMap((split) =>
    datasetNames(dataset, 'afm', files, split),
  );
  return Object.fromEntries(
    named.map(({ name, fileName }) => [
      name,
      {
        file_name: fileName,
        formatting: 'alpaca',
        columns: { prompt: 'instruction', query: 'input', response: 'output' },
      },
    ]),
  );
}

/** `afm/README.md`. */
function afmReadme({ name, dataset }: FormatSettings, { files }: WrittenFormat): string {
  const namesOf = (split: Split) =>
    datasetNames(name, 'afm', files, split)
      .map((file) => file.name)
      .join(',');
  const validation = namesOf('validation');
  return renderFormatReadme({
    title: "Rows in AFM's layout",
    files: {
      ...rowsFileList(files, 'alpaca rows, exactly `instruction`, `input`, `output`'),
      'dataset_info.json': 'names them for LLaMA-Factory',
    },
    mask: "AFM's fork of LLaMA-Factory (`OPPO-PersonalAI/Agent_Foundation_Models`) does, by itself: it searches the tokens of the answer for those of `<observation` and of `observation>` with two line feeds behind it. The layout of the rows is the one for which that search finds every observation.",
    verified: `\`test/output/afmLayout.test.ts\` applies the fork's rule to 1,000 generated rows: each is kept, and what is trained is our mask, token for token. The rule itself gives what the fork's own code gave on 600 good and spoilt rows (\`test/lint/afmMask.test.ts\`). The fork is not run by the tests.`,
    start: `In the fork's configuration, besides the model and its settings:

\`\`\`yaml
dataset_dir: .
dataset: ${namesOf('train')}
${validation === '' ? '' : `eval_dataset: ${validation}\n`}template: qwen
cutoff_len: ${dataset.cutoff_len}
packing: false
ignore_observation: true
ignore_observation_token: observation
\`\`\``,
    beware: [
      'Stock LLaMA-Factory does not know `ignore_observation` and stops; without the key it trains the observations. Give it `llama_factory/` or `tokenized/`.',
      "`packing: true` turns the fork's mask off without a word.",
      "A tokenizer in which `<observation` has other tokens than in Qwen2.5's needs a pattern of its own in the fork.",
      ...(dataset.system_prompt === qwenSystemPrompt
        ? []
        : [
            "The dataset has a system prompt of its own, for which this layout has no column: `template: qwen` writes Qwen's instead.",
          ]),
    ],
  });
}

/**
 * A row in AFM's columns, whose instruction and input together are the user turn.
 *
 * @throws RecordFailure for a prompt in which LLaMA-Factory, and so the fork, writes a number in place of `{{idx}}`
 */
export function afmRow({ rendered, profile }: Pick<DatasetRow, 'rendered' | 'profile'>): AfmRow {
  if (rendered.user.includes('{{idx}}'))
    throw new RecordFailure('internal', "AFM's fork would write a number in place of {{idx}} in the prompt");
  const { instruction, input, user } = renderPrompt(profile, rendered.question);
  const columns = user === rendered.user ? { instruction, input } : promptColumns(rendered);
  return { ...columns, output: outputText(rendered) };
}

/** The text of the assistant's turn. */
export function outputText({ segments }: Pick<Trajectory, 'segments'>): string {
  return segments.map((segment) => segment.text).join('');
}

/** The columns of a prompt that is not the profile's own, as imported rows have it: split where AFM splits it. */
function promptColumns({
  user,
  question,
}: Pick<Trajectory, 'user' | 'question'>): Pick<AfmRow, 'instruction' | 'input'> {
  const input = `Question: ${question}`;
  const instruction = user.slice(0, -input.length - 1);
  return instruction !== '' && user === `${instruction}\n${input}`
    ? { instruction, input }
    : { instruction: user, input: '' };
}
