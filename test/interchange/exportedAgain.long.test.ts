import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import { exportRun } from '../../operations/exportRecords/exportRun.ts';
import { exportFormats } from '../../output/interchange/exportRun.ts';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import { readOneAnswer } from '../../teachers/importers/importDatasetRow.ts';
import { createProject, jsonLines, sampleTasks } from '../cli/support/project.ts';
import { readJsonLines } from '../pipeline/support/runFake.ts';
import { refusalOf } from './importing.ts';
import { runImport, runLoaded } from './runInProcess.ts';

/** A file of rows of each format that `import afm` reads: what is exported again has the same bytes. */
const rowFiles = {
  afm: ['afm/coa.json'],
  llama_factory: ['llama_factory/train.jsonl'],
  tokenized: ['tokenized/data-00000-of-00001.arrow'],
  verl: ['verl/sft.parquet'],
  hugging_face: ['hugging_face/data/train.parquet'],
  axolotl: ['axolotl/segments/train.jsonl', 'axolotl/tokens/train.parquet'],
  ms_swift: ['ms_swift/train.jsonl'],
} as const;

/** Rows of the other formats are refused: a pair has two answers, a task none. */
const refused = {
  dpo: [{ conversations: [{ from: 'human', value: 'q' }], ...sides('from', 'value') }, 'is_pair'],
  hugging_face_dpo: [{ prompt: 'q', chosen: 'a', rejected: 'b' }, 'is_pair'],
  verl_rl: [{ prompt: [{ role: 'user', content: 'q' }], reward_model: { ground_truth: 'a' } }, 'no_answer'],
  verifiers: [{ question: 'q', answer: 'a' }, 'no_answer'],
} as const satisfies Record<string, readonly [JsonObject, string]>;

function sides(role: string, text: string) {
  return { chosen: { [role]: 'gpt', [text]: 'a' }, rejected: { [role]: 'gpt', [text]: 'b' } };
}

function rowsInOrder(text: string): string[] {
  return (JSON.parse(text) as JsonObject[]).map((row) => JSON.stringify(row)).sort();
}

/** Fields of a record that a dataset's rows do not hold, so that they are made anew, or empty. */
const madeAnew = ['answers', 'id', 'quality', 'segments', 'source', 'task_id', 'trace_id'];

test('what is imported and exported again has the same bytes, in every format', async () => {
  expect([...Object.keys(rowFiles), ...Object.keys(refused)]).toEqual(datasetFormatNames);
  const folder = createProject({
    tasks: jsonLines(sampleTasks.slice(0, 4)),
    more: `filters: { min_interactions: { mhqa: 0 } }\ndataset: { formats: [${Object.keys(rowFiles).join(', ')}] }`,
  });
  const loaded = await loadConfig(join(folder, 'coa.yaml'), {}, {});
  const { folder: run } = await runLoaded(folder, loaded, 'one', {});
  const bytesOf = (of: string, file: string) => readFileSync(join(of, 'dataset', file));
  const importAgain = async (format: 'afm' | (typeof exportFormats)[number], file: string) => {
    const request = { format, files: [relative(folder, file)], configFile: 'coa.yaml' };
    const name = `again-${relative(folder, file).replaceAll(/\W/g, '-')}`;
    return (await runImport(folder, { ...request, name }, { until: 'export' })).folder;
  };

  for (const file of [...Object.values(rowFiles).flat(), 'trajectories.jsonl']) {
    const again = await importAgain('afm', join(run, 'dataset', file));
    for (const same of Object.values(rowFiles).flat())
      expect(bytesOf(again, same).equals(bytesOf(run, same)), `${file} as ${same}`).toBe(true);
    const [one, two] = [run, again].map((of) => readJsonLines(join(of, 'dataset/trajectories.jsonl')));
    const differing = new Set(
      one!.flatMap((record, at) =>
        Object.keys({ ...record, ...two![at] }).filter(
          (key) => JSON.stringify(record[key]) !== JSON.stringify(two![at]?.[key]),
        ),
      ),
    );
    expect(madeAnew, file).toEqual(expect.arrayContaining([...differing]));
  }

  for (const format of exportFormats) {
    const { path } = await exportRun({ runFolder: run, format, stage: 'rollout' });
    const again = await importAgain(format, path);
    const [one, two] = [run, again].map((of) => bytesOf(of, 'afm/coa.json').toString());
    if (format !== 'atif') expect(two, format).toBe(one);
    // A file a record, in the order of their names.
    else expect(rowsInOrder(two!)).toEqual(rowsInOrder(one!));
  }
});

test.each(Object.entries(refused))('a row of %s is refused', (_format, [row, code]) => {
  expect(refusalOf(() => readOneAnswer(row))).toMatchObject({ code });
});
