import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { llamaFactory, onCpu } from './llamaFactory.ts';
import { pythonScript, runPython } from './runPython.ts';
import { type LabelledRow, readRecordedRows, readSavedRows } from './savedRows.ts';

/**
 * LLaMA-Factory’s reading of the text emission: ids and labels, by its own loading, template and masks.
 *
 * @param rows - a folder with a `dataset_info.json` of others, and what changes the configuration for it
 */
export async function preprocessLlamaFactory(
  dataset: string,
  model: string,
  rows?: { readonly folder: string; readonly changed: readonly string[] },
): Promise<LabelledRow[]> {
  const folder = rows ? `${rows.folder}-llama-factory` : `${dataset}-llama-factory`;
  const saved = path.join(folder, 'preprocessed');
  await mkdir(folder);
  await runPython({
    ...llamaFactory,
    args: [
      '-m',
      'llamafactory.cli',
      'train',
      path.join(dataset, 'llama_factory/train.yaml'),
      ...onCpu,
    ].concat([
      `model_name_or_path=${model}`,
      `dataset_dir=${rows?.folder ?? path.join(dataset, 'llama_factory')}`,
      `output_dir=${path.join(folder, 'output')}`,
      'do_train=false',
      `tokenized_path=${saved}`,
      ...(rows?.changed ?? []),
    ]),
    folder,
  });
  return readSavedRows(path.join(saved, 'train'));
}

/**
 * What Axolotl makes of a form, by the configuration of its name: ids and labels, by its own loading, encoding and
 * filters.
 *
 * @param changed - arguments of the command line that change the configuration
 * @throws Error with what it printed when it refuses the dataset
 */
export async function preprocessAxolotl(
  dataset: string,
  form: 'segments' | 'tokens',
  model: string,
  changed: readonly string[] = [],
): Promise<LabelledRow[]> {
  const onCpu = ['--base_model', model, '--bf16', 'false', '--dataset_num_proc', '1'];
  const folder = path.join(dataset, 'axolotl');
  await runPython({
    environment: 'trainers',
    loaded: { modules: ['axolotl.cli.preprocess'] },
    args: ['-m', 'axolotl.cli.preprocess', `${form}.yaml`, ...onCpu, ...changed],
    folder,
  });
  const prepared = await readdir(path.join(folder, 'prepared'));
  const [own, ...others] = prepared.filter((name) => name.startsWith(form));
  if (own === undefined || others.length > 0) throw new Error(`Axolotl prepared ${prepared.join(', ')}`);
  const parent = path.join(folder, 'prepared', own);
  const [hashed] = (await readdir(parent, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return readSavedRows(path.join(parent, hashed!.name));
}

/**
 * What ms-swift makes of its messages: ids and labels, by its own loading, encoding and collator.
 *
 * @param modelType - ms-swift's name of the kind of model
 * @param changed - as for {@link preprocessAxolotl}
 * @throws Error with what it printed when it refuses the dataset
 */
export async function preprocessMsSwift(
  dataset: string,
  model: string,
  modelType: 'qwen2' | 'llama' = 'qwen2',
  changed: readonly string[] = [],
): Promise<LabelledRow[]> {
  const rows = path.join(dataset, 'ms-swift-rows.jsonl');
  const onCpu = [
    '--model',
    model,
    '--model_type',
    modelType,
    '--torch_dtype',
    'float32',
    '--use_cpu',
    'true',
  ];
  await runPython({
    environment: 'trainers',
    loaded: { modules: ['swift.pipelines.train.sft'] },
    args: [pythonScript('swift_rows.py'), rows, 'sft.yaml', ...onCpu, ...changed],
    folder: path.join(dataset, 'ms_swift'),
  });
  return readRecordedRows(rows);
}
