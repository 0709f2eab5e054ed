import { dirname, join, relative } from 'node:path';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { makeFolder } from '../../base/files/makeFolder.ts';
import { printable } from '../../base/printable.ts';
import { shellWord } from '../../base/shellWord.ts';
import { systemClock } from '../../base/systemClock.ts';
import { UserError } from '../../base/userError.ts';
import type { DatasetAuditor, GateResult } from '../../contract/trainingGate.ts';
import { checkForGate } from '../../operations/checkFiles.ts';
import { runWord } from '../../pipeline/run/findRun.ts';
import { Interrupted } from '../../pipeline/run/runError.ts';
import { followJob } from '../../training/followJob.ts';
import { type GateSubject, judgeJob } from '../../training/gates/judgeJob.ts';
import { lastAttempt, readJob } from '../../training/jobFolder.ts';
import type { JobStatus } from '../../training/jobStatus.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';
import { launchJob } from '../../training/launchJob.ts';
import { refuseChangedData, resumeJob } from '../../training/resumeJob.ts';
import { LiveView } from '../liveView.ts';
import { runnable } from '../programCommand.ts';
import { type FoundJob, findJob } from './findJob.ts';
import { type PlannedJob, planFromCommandLine } from './planFromCommandLine.ts';
import { gateJson, gateLines, planLines } from './planLines.ts';
import { checkpointLines, jobEndLines, jobProgressLine, jobStatusJson } from './printJobStatus.ts';
import type { TrainCommandOptions } from './trainingFromCommandLine.ts';

/**
 * Plans a job, then starts and follows it, unless only the plan or the files are requested.
 *
 * @param auditDataset reads every row of the dataset
 * @returns the exit code: 0 if the job finished or continues in the background, 1 if it failed
 */
export async function trainFromCommandLine(
  name: string,
  options: TrainCommandOptions,
  auditDataset: DatasetAuditor = checkForGate,
): Promise<number> {
  if (options.dryRun && options.renderOnly)
    throw new UserError('--dry-run and --render-only exclude each other');
  const planned = await planFromCommandLine(name, options);
  if (options.renderOnly) {
    await renderOnly(planned, options);
    return 0;
  }
  const gpusGiven = planned.training.gpus_per_node !== null;
  const subject = { ...planned, gpusGiven, auditDataset };
  return options.dryRun ? dryRun(planned, subject, options) : launch(subject, options);
}

/**
 * Prints the plan and all gate results.
 *
 * @returns 0 for a valid plan, even if this machine lacks parts, since the job may run elsewhere
 */
async function dryRun(
  planned: PlannedJob,
  subject: GateSubject,
  { json }: TrainCommandOptions,
): Promise<number> {
  // Printed before the gates, which may take minutes.
  if (!json) console.log(planText(planned));
  const { verdicts } = await judgeJob(subject);
  const countOf = (kind: GateResult['kind']) => verdicts.filter(({ result }) => result.kind === kind).length;
  const [failed, lacking] = [countOf('refuse'), countOf('lacks')];
  if (json) console.log(JSON.stringify({ ...planJson(planned), gates: verdicts.map(gateJson) }));
  else {
    const end = [];
    if (failed > 0) end.push(`${failed} of ${verdicts.length} checks failed: change the job first`);
    else if (lacking > 0) end.push('the plan is sound; the machine that trains needs what is missing here');
    console.log(['', 'Checks:', ...gateLines(verdicts), '', 'nothing was written', ...end].join('\n'));
  }
  return failed === 0 ? 0 : 2;
}

async function renderOnly(planned: PlannedJob, options: TrainCommandOptions): Promise<void> {
  await writeRenderedJob(planned);
  const folder = relative(process.cwd(), planned.jobFolder) || '.';
  const { plan } = planned;
  const isOnEach = launcherTable[plan.launcher].startedOnEachMachine && plan.nodes > 1;
  const where = isOnEach ? `start it on each of ${plan.nodes} machines with` : 'start it with';
  const start = `${where}: ${startCommand(folder, planned.rendered.start.argv)}`;
  console.log(options.json ? JSON.stringify(planJson(planned)) : `${planText(planned)}\n\n${start}`);
}

function planJson({ plan, rendered, jobFolder }: PlannedJob) {
  const files = rendered.files.map(({ path }) => path);
  return { plan, folder: jobFolder, files, start: rendered.start.argv };
}

function planText({ plan, rendered, jobFolder }: PlannedJob): string {
  const files = rendered.files.map(({ path }) => `  ${join(relative(process.cwd(), jobFolder), path)}`);
  return [...planLines(plan), '', 'Files:', ...files].join('\n');
}

async function launch(subject: GateSubject, { detach, json }: TrainCommandOptions): Promise<number> {
  const { plan, job } = subject;
  const control = launcherTable[plan.launcher].open(systemClock);
  const started = await launchJob({ ...subject, control, clock: systemClock });
  const found = { ...started, name: `${runWord(subject.runFolder)}/${job}` };
  for (const unchecked of started.record.unchecked) console.error(`not checked: ${unchecked}`);
  if (!detach) return followToEnd(found, { json: json === true });
  if (json) console.log(JSON.stringify(await jobStatusJson(found)));
  else
    console.log(
      runnable(`${found.name} was started; follow it with: coa-distill train resume ${found.name}`),
    );
  return 0;
}

/**
 * Writes a job's files for a manual start.
 *
 * @throws UserError if the job was already started
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

/** Shell line that starts a job in its folder. */
export function startCommand(folder: string, argv: readonly string[]): string {
  return `cd -- ${shellWord(folder)} && ${argv.map(shellWord).join(' ')}`;
}

/** Resumes a job and follows it. Returns the exit code. */
export async function resumeFromCommandLine(
  name: string,
  { detach, json }: { readonly detach?: true; readonly json?: true },
): Promise<number> {
  const job = await findJob(name);
  const control = launcherTable[job.record.plan.launcher].open(systemClock);
  const { found, record } = await resumeJob(job.folder, {
    control,
    clock: systemClock,
    beforeStart: refuseChangedData,
  });
  const { from_step, set_aside } = lastAttempt(record);
  for (const move of found === 'resumed' ? set_aside : []) console.error(`put aside: ${move}`);
  console.error(`${job.name}: ${foundWords(found, from_step)}`);
  if (found !== 'finished' && !detach) return followToEnd({ ...job, record }, { json: json === true });
  if (json) console.log(JSON.stringify(await jobStatusJson({ ...job, record })));
  return 0;
}

function foundWords(found: 'running' | 'finished' | 'resumed', fromStep: number): string {
  if (found === 'finished') return 'finished before, nothing is left to do';
  if (found === 'running') return 'it runs, and is followed again';
  return fromStep === 0
    ? 'started again from the beginning'
    : `goes on from the checkpoint of step ${fromStep}`;
}

/**
 * Follows a job on stderr until it ends, then prints the outcome. Ctrl-C and SIGTERM only end the following; the job
 * continues, and `train resume` follows it again.
 *
 * @returns the exit code: 0 if the job finished, 1 if it ended otherwise
 * @throws Interrupted for Ctrl-C and SIGTERM
 */
async function followToEnd(job: FoundJob, { json = false }: { readonly json?: boolean }): Promise<number> {
  const { folder, name } = job;
  const control = launcherTable[job.record.plan.launcher].open(systemClock);
  using view = new LiveView();
  using detach = detachOnSignals(name, (line) => view.note(line));
  const record = await followJob(folder, job.record, {
    control,
    clock: systemClock,
    observer: { status: showStatus(name, view) },
    signal: detach.signal,
  });
  view.clear();
  const end = lastAttempt(record).end!;
  if (json) console.log(JSON.stringify(await jobStatusJson({ folder, record, name })));
  else {
    const next = end.outcome === 'finished' ? await checkpointLines({ folder, record, name }) : [];
    console.log(runnable([...jobEndLines(name, end), ...next].join('\n')));
  }
  return end.outcome === 'finished' ? 0 : 1;
}

function showStatus(name: string, view: LiveView): (status: JobStatus) => void {
  let shown = '';
  let isWarned = false;
  return (status) => {
    const { nanSince } = status.progress;
    if (nanSince !== null && !isWarned) {
      isWarned = true;
      view.note(
        `warning: the loss is NaN since step ${nanSince}, the weights are unusable; stop it with: coa-distill train stop ${name}`,
      );
    }
    const line = printable(jobProgressLine(name, status));
    const isFirstOrLast = shown === '' || status.state.kind === 'ended';
    if (line === shown || !(isFirstOrLast || view.isDue())) return;
    shown = line;
    view.show([line]);
  };
}

interface Detach extends Disposable {
  /** Aborted with {@link Interrupted} at the first signal. */
  readonly signal: AbortSignal;
  [Symbol.dispose](): void;
}

/**
 * Ends the following of a job at the first Ctrl-C or SIGTERM. A second one ends this process at once.
 *
 * @param tell prints a line that says so
 */
function detachOnSignals(name: string, tell: (line: string) => void): Detach {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    const reason = new Interrupted(signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT');
    if (controller.signal.aborted) process.exit(reason.exitCode);
    tell(
      `${signal}: no longer following; the job goes on. Follow it again with: coa-distill train resume ${name}; end it with: coa-distill train stop ${name}`,
    );
    controller.abort(reason);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
