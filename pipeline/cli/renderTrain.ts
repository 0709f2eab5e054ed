import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { renderTrainingJob } from '../../output/training/renderTrainingJob.ts';
import { configSchema } from '../../schemas/config/config.ts';
import { UserError } from '../contract/errors.ts';
import { makeFolder } from '../files/makeFolder.ts';
import { replaceFile } from '../files/replaceFile.ts';
import { readManifest } from '../report/gatherReport.ts';
import { findRun } from './findRun.ts';

const jobName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Writes the files of a run's training job and says how to launch it. */
export async function renderTrain(
  name: string,
  { model, job, json }: { readonly model?: string; readonly job: string; readonly json?: true },
): Promise<void> {
  if (!jobName.test(job)) {
    throw new UserError(`--job: expected letters, digits, dots, dashes and underscores, got "${job}"`);
  }
  const { folder, run } = await findRun(name);
  const manifest = await readManifest(folder);
  if (!manifest) {
    throw new UserError(
      `${folder} has no finished dataset; finish it with: coa-distill run ${run.config_file} --name ${run.name}`,
    );
  }
  const { training, dataset } = configSchema.parse(run.config);
  const files = renderTrainingJob({
    manifest,
    training: { ...training, ...(model !== undefined && { model: modelName(model) }) },
    dataset,
    name: run.dataset_name,
  });
  const target = join(folder, 'train', job);
  for (const { path, text } of files) {
    const file = join(target, path);
    await makeFolder(dirname(file));
    await replaceFile(file, text);
  }
  const shown = relative(process.cwd(), target);
  if (json) console.log(JSON.stringify({ folder: target, files: files.map(({ path }) => path) }));
  else console.log(launchLines(shown, files).join('\n'));
}

/** A folder that is there by its absolute path, since the job runs elsewhere; any other name as it is. */
function modelName(model: string): string {
  return existsSync(model) ? resolve(model) : model;
}

function launchLines(folder: string, files: readonly { readonly path: string }[]): string[] {
  const script = files.find(({ path }) => path.endsWith('.sh'))?.path;
  return [
    ...files.map(({ path }) => join(folder, path)),
    ...(script ? ['', 'Launch it where LLaMA-Factory is installed:', `  bash ${join(folder, script)}`] : []),
  ];
}
