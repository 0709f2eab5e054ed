import path from 'node:path';
import { type PythonResult, type PythonRun, pythonScript, runPython, tryPython } from './runPython.ts';
import { type LabelledRow, readRecordedRows } from './savedRows.ts';

/**
 * What ms-swift makes of its messages: ids and labels, by its own loading, encoding and collator.
 *
 * @param modelType - ms-swift's name of the kind of model.
 */
export async function preprocessMsSwift(
  dataset: string,
  model: string,
  modelType = 'qwen2',
): Promise<LabelledRow[]> {
  await runPython(preprocessing(dataset, model, modelType, []));
  return readRecordedRows(path.join(dataset, rowsFile));
}

/** The same with changed arguments, for a dataset that should be refused. */
export function tryMsSwift(
  dataset: string,
  model: string,
  changed: readonly string[],
): Promise<PythonResult> {
  return tryPython(preprocessing(dataset, model, 'qwen2', changed));
}

const rowsFile = 'ms-swift-rows.jsonl';

function preprocessing(
  dataset: string,
  model: string,
  modelType: string,
  changed: readonly string[],
): PythonRun {
  const onCpu = { model, model_type: modelType, torch_dtype: 'float32', use_cpu: 'true' };
  const args = Object.entries(onCpu).flatMap(([key, value]) => [`--${key}`, value]);
  const output = path.join(dataset, rowsFile);
  return {
    environment: 'trainers',
    loaded: { modules: ['swift.pipelines.train.sft'] },
    args: [pythonScript('swift_rows.py'), output, 'sft.yaml', ...args, ...changed],
    folder: path.join(dataset, 'ms_swift'),
  };
}
