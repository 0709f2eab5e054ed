import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type PythonResult, type PythonRun, runPython, tryPython } from './runPython.ts';
import { type LabelledRow, readSavedRows } from './savedRows.ts';

/** The forms in which Axolotl is given rows, each with a configuration of its name. */
export type AxolotlForm = 'segments' | 'tokens';

/** What Axolotl makes of a form: ids and labels, by its own loading, encoding and filters. */
export async function preprocessAxolotl(
  dataset: string,
  form: AxolotlForm,
  model: string,
): Promise<LabelledRow[]> {
  await runPython(preprocessing(dataset, form, model, []));
  const prepared = await readdir(path.join(dataset, 'axolotl/prepared'));
  const [folder, ...others] = prepared.filter((name) => name.startsWith(form));
  if (folder === undefined || others.length > 0) throw new Error(`Axolotl prepared ${prepared.join(', ')}`);
  const parent = path.join(dataset, 'axolotl/prepared', folder);
  const [hashed] = (await readdir(parent, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return readSavedRows(path.join(parent, hashed!.name));
}

/** The same with changed keys, for a dataset that should be refused. */
export function tryAxolotl(
  dataset: string,
  form: AxolotlForm,
  model: string,
  changed: readonly string[],
): Promise<PythonResult> {
  return tryPython(preprocessing(dataset, form, model, changed));
}

function preprocessing(
  dataset: string,
  form: AxolotlForm,
  model: string,
  changed: readonly string[],
): PythonRun {
  const onCpu = ['--base_model', model, '--bf16', 'false', '--dataset_num_proc', '1'];
  return {
    environment: 'trainers',
    loaded: { modules: ['axolotl.cli.preprocess'] },
    args: ['-m', 'axolotl.cli.preprocess', `${form}.yaml`, ...onCpu, ...changed],
    folder: path.join(dataset, 'axolotl'),
  };
}
