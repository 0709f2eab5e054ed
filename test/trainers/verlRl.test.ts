import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createDatasetWriter } from '../../output/dataset/createDatasetWriter.ts';
import type { DatasetRow } from '../../output/dataset/datasetFormat.ts';
import { renderRow } from '../../output/dataset/renderRow.ts';
import { askedTurns } from '../../schemas/coa/play/turnTexts.ts';
import { datasetConfigSchema } from '../../schemas/config/dataset.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { qwenSettings } from '../output/support/qwen.ts';
import { taskOf, writerOptions } from '../output/support/writeDataset.ts';
import { pythonScript, runPython } from './support/runPython.ts';
import { shortRows } from './support/shortRows.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';

/** What the loaders made of the tasks. */
interface Loaded {
  readonly rows: readonly { readonly ids: readonly number[] }[];
  /** Tasks that SkyRL keeps where the longest prompt has as many tokens as allowed, and where it has one more. */
  readonly left: readonly number[];
}

/** Where SkyRL's package is. */
function skyrlFolder(): string {
  const [folder] = globSync(path.join(import.meta.dirname, '../../.venv-skyrl/lib/python3*/site-packages'));
  if (folder === undefined) throw new Error('.venv-skyrl is missing: run "make trainers" first');
  return folder;
}

test('the loaders of verl and SkyRL load every task, whose prompt has the ids with which the SFT row begins', async () => {
  const folder = sharedFolder();
  const [model, dataset] = [path.join(folder, 'model'), path.join(folder, 'dataset')];
  await writeModelFolder(model);
  const config = datasetConfigSchema.parse({ formats: ['verl_rl'], cutoff_len: 100_000 });
  const writer = await createDatasetWriter(writerOptions(dataset, { dataset: config }));
  const rows: DatasetRow[] = [];
  for (const [at, { trajectory, profile }] of (await shortRows(2)).entries()) {
    const question = `Nr ${at}: is <|im_end|> e\u0301 or </think>\r\n<answer>?`;
    const { turns } = askedTurns(profile, question, config.system_prompt);
    rows.push(await renderRow({ ...trajectory, ...turns }, profile, qwenSettings));
    await writer.writeTask({ task: { ...taskOf(trajectory), question }, rate: null, reason: null });
  }
  const manifest = await writer.finish();
  expect(manifest.rl_tasks).toMatchObject({ tasks: rows.length, kept: rows.length, dropped: {} });

  const output = path.join(folder, 'rows.json');
  const args = [
    pythonScript('verl_rl_rows.py'),
    path.join(dataset, 'verl_rl/train.parquet'),
    model,
    output,
    skyrlFolder(),
  ];
  await runPython({ environment: 'trainers', args, folder });
  const loaded = JSON.parse(await readFile(output, 'utf8')) as Loaded;
  expect(loaded.rows).toHaveLength(rows.length);
  expect(loaded.left[0]).toBe(rows.length);
  expect(loaded.left[1]).toBeLessThan(rows.length);
  for (const [at, { ids, ...columns }] of loaded.rows.entries()) {
    const { inputIds, lossMask, trajectory } = rows[at]!;
    const prompt = Array.from(inputIds.subarray(0, lossMask.indexOf(1)));
    expect(ids).toEqual(prompt);
    expect(columns).toMatchObject({
      index: trajectory.task_id,
      agent_name: 'coa_agent',
      reward_model: {
        ground_truth: expect.stringContaining(`Nr ${at}: is`),
      },
      skyrl: {
        ids: prompt,
        env_class: 'coa',
        method: 'rule',
        ground_truth: expect.stringContaining(`Nr ${at}: is`),
        index: trajectory.task_id,
      },
    });
  }
});
