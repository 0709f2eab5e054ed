import { dirname, join, relative } from 'node:path';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { makeFolder } from '../../base/files/makeFolder.ts';
import { shellWord } from '../../base/shellWord.ts';
import { systemClock } from '../../base/systemClock.ts';
import { UserError } from '../../base/userError.ts';
import { auditForGate } from '../../operations/audit/auditForGate.ts';
import { readJob } from '../../training/jobFolder.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';
import { launchJob } from '../../training/launchJob.ts';
import { runnable } from '../programCommand.ts';
import { followToEnd } from './followToEnd.ts';
import { type PlannedJob, planFromCommandLine } from './planFromCommandLine.ts';
import { planLines } from './planLines.ts';
import { jobStatusJson } from './printJobStatus.ts';
import type { TrainCommandOptions } from './trainOptions.ts';

/**
 * Plans a job, and starts and follows it unless only the plan or the files are asked for.
 *
 * @returns the exit code: 0 when the job finished or goes on without us, 1 when it failed
 */
export async function trainFromCommandLine(name: string, options: TrainCommandOptions): Promise<number> {
  const planned = await planFromCommandLine(name, options);
  if (options.dryRun) printPlan(planned, options, 'nothing was written');
  else if (options.renderOnly) await renderOnly(planned, options);
  else return launch(planned, options);
  return 0;
}

async function renderOnly(planned: PlannedJob, options: TrainCommandOptions): Promise<void> {
  await writeRenderedJob(planned);
  const folder = relative(process.cwd(), planned.jobFolder) || '.';
  printPlan(planned, options, `start it with: ${startCommand(folder, planned.rendered.start.argv)}`);
}

/** The plan, the files, and what became of them. */
function printPlan(
  { plan, rendered, jobFolder }: PlannedJob,
  options: TrainCommandOptions,
  end: string,
): void {
  const files = rendered.files.map(({ path }) => path);
  if (options.json) {
    console.log(JSON.stringify({ plan, folder: jobFolder, files, start: rendered.start.argv }));
    return;
  }
  const shown = files.map((path) => `  ${join(relative(process.cwd(), jobFolder), path)}`);
  console.log([...planLines(plan), '', 'Files:', ...shown, '', end].join('\n'));
}

async function launch(planned: PlannedJob, { job, detach, json }: TrainCommandOptions): Promise<number> {
  const { runFolder, run, plan, rendered, python } = planned;
  refuseSilentCpu(planned);
  const control = launcherTable[plan.launcher].open(systemClock);
  const started = await launchJob({
    runFolder,
    run,
    job,
    plan,
    rendered,
    python,
    control,
    clock: systemClock,
    auditDataset: auditForGate,
  });
  const found = { ...started, name: `${run.name}/${job}` };
  for (const unchecked of started.record.unchecked) console.error(`not checked: ${unchecked}`);
  if (!detach) return followToEnd(found, { json: json === true });
  if (json) console.log(JSON.stringify(await jobStatusJson(found)));
  else
    console.log(
      runnable(`${found.name} was started; follow it with: coa-distill train resume ${found.name}`),
    );
  return 0;
}

/** Nobody means to train a model of billions on a CPU. */
function refuseSilentCpu({ plan, training }: PlannedJob): void {
  if (plan.gpus_per_node > 0 || training.gpus_per_node !== null) return;
  throw new UserError(
    'no GPU was found on this machine; train on another with --control, or say --gpus-per-node 0 to train on the CPU',
  );
}

/**
 * Writes a job's files, to be started by hand.
 *
 * @throws UserError when the job was started: its files are what it was started with
 */
async function writeRenderedJob({ jobFolder, rendered }: PlannedJob): Promise<void> {
  if (await readJob(jobFolder)) {
    throw new UserError(`${jobFolder}: the job was started, and its files are kept; name another with --job`);
  }
  for (const { path, text } of rendered.files) {
    const file = join(jobFolder, path);
    await makeFolder(dirname(file));
    await replaceFile(file, text);
  }
}

/** The command that starts a job in its folder, as one line for a shell. */
export function startCommand(folder: string, argv: readonly string[]): string {
  return `cd -- ${shellWord(folder)} && ${argv.map(shellWord).join(' ')}`;
}
