import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import { type Manifest, manifestSchema } from '../../schemas/manifest.ts';
import { runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { writeDataset, writerOptions } from '../output/support/writeDataset.ts';
import { preprocessText } from './support/llamaFactory.ts';
import { readSavedRows } from './support/savedRows.ts';
import { trapTrajectories } from './support/trapTrajectories.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';

const quickstart = fileURLToPath(new URL('../../examples/quickstart.yaml', import.meta.url));
const folder = sharedFolder();
const model = path.join(folder, 'model');

beforeAll(() => writeModelFolder(model));

/** Every row is there, in our order, with our ids and our labels. */
async function expectOurLabels(name: string, dataset: string, manifest: Manifest): Promise<void> {
  const ours = await readSavedRows(path.join(dataset, 'tokenized'));
  const theirs = await preprocessText(path.join(folder, name), dataset, model);
  expect(theirs).toHaveLength(manifest.rows);
  for (const [at, row] of ours.entries()) expect(theirs[at], `row ${at}`).toEqual(row);
}

test('LLaMA-Factory gives the quickstart’s text our labels, token for token', async () => {
  const run = await runCli(['run', quickstart, '--set', `runs_dir=${path.join(folder, 'runs')}`], {
    cwd: folder,
  });
  expect(run.code, run.stderr).toBe(0);
  const dataset = path.join(folder, 'runs/quickstart/dataset');
  const manifest = manifestSchema.parse(
    JSON.parse(await readFile(path.join(dataset, 'manifest.json'), 'utf8')),
  );
  expect(manifest.rows).toBeGreaterThan(60);
  await expectOurLabels('quickstart', dataset, manifest);
});

test('and those of 500 trajectories full of traps', async () => {
  // AFM's layout, which can't hold what LLaMA-Factory replaces in a prompt, is left out.
  const trajectories = trapTrajectories(500).map((trajectory, at) =>
    at % 10 === 0 ? { ...trajectory, user: `${trajectory.user} {{idx}} and {{idx}}` } : trajectory,
  );
  const dataset = path.join(folder, 'dataset');
  const tokenizer = await loadTokenizer('qwen2.5');
  const options = writerOptions(dataset, tokenizer);
  const manifest = await writeDataset(trajectories, {
    ...options,
    dataset: { ...options.dataset, cutoff_len: 10_000_000, formats: ['llama_factory', 'tokenized'] },
  });
  tokenizer.close();
  await expectOurLabels('traps', dataset, manifest);
});
