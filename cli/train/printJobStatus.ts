import { dirname, join, relative } from 'node:path';
import { printable } from '../../base/printable.ts';
import { shellWord } from '../../base/shellWord.ts';
import { systemClock } from '../../base/systemClock.ts';
import { readModelFolder, servingCommands } from '../../evaluation/serving/servingCommands.ts';
import { type AttemptEnd, crashCauses, type RlFigures } from '../../schemas/training/jobRecord.ts';
import { causeAdvice } from '../../training/causes/crashCause.ts';
import { newestCheckpoint } from '../../training/checkpoints.ts';
import { closeAttempt } from '../../training/closeAttempt.ts';
import { lastAttempt } from '../../training/jobFolder.ts';
import { type JobStatus, jobStatus } from '../../training/jobStatus.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';
import { trainerTable } from '../../training/trainers/trainerTable.ts';
import { formatCount, formatDuration, formatTable } from '../format.ts';
import { runnable } from '../programCommand.ts';
import { type FoundJob, findJob } from './findJob.ts';

/** Outcome of an attempt: what happened, likely cause, remedy, last words of the trainer. */
export function jobEndLines(name: string, end: AttemptEnd): string[] {
  if (end.outcome === 'finished') return [`${name}: finished`];
  const resume = `resume it with: coa-distill train resume ${name}`;
  if (end.outcome === 'stopped' && end.cause === null) return [`${name}: stopped; ${resume}`];
  const cause =
    end.cause === null
      ? [`${name}: ${howItEnded(end)}`, resume]
      : [
          `${name}: ${howItEnded(end)}: ${crashCauses[end.cause]} (${end.cause})`,
          `what to do: ${causeAdvice[end.cause]}`,
        ];
  const words = end.last_words.split('\n').filter((line) => line !== '');
  return [...cause, ...(words.length === 0 ? [] : ["the trainer's last words:"]), ...words.map(quoted)];
}

/** Location of a finished job's model, and next steps. */
export async function checkpointLines({ folder, record, name }: FoundJob): Promise<string[]> {
  const checkpoint = await newestCheckpoint(folder, record);
  if (checkpoint === null) return ["checkpoint: not on this machine; it is on the job's"];
  const path = shellWord(relative(process.cwd(), checkpoint.folder) || '.');
  const model = await readModelFolder(checkpoint.model).catch(() => undefined);
  const player = `${record.run}-${record.job}`;
  const next = [
    ['see its curve on the page of the run', `coa-distill view ${dirname(name)} --export`],
    ...(model?.adapterOf === null
      ? [['score it on this machine', `coa-distill evaluate CONFIG --serve ${name}`]]
      : []),
    ...(model ? servingCommands(model, player) : []),
  ].map(([what, command]) => [`  ${what}`, command!]);
  return [
    `checkpoint: ${path}`,
    '',
    'Next:',
    ...formatTable(next),
    ...(model ? ['', ...playerLines(player)] : []),
  ];
}

/** Configuration of a served player. */
function playerLines(name: string): string[] {
  return [
    'A configuration whose player it is (docs/student.md):',
    `  teacher: { backend: coa_model, model: { model: ${name}, endpoint: { base_url: "http://127.0.0.1:8000/v1", api_key_env: "" } }, player: { server: vllm } }`,
    '  SGLang: port 30000, server: openai. transformers: model is the folder, server: transformers; it samples only where generation_config.json has "do_sample": true.',
    '  Stop texts go with every request; the servers need no setting for them.',
  ];
}

/** One-line progress of a job: steps, loss, learning rate, speed, time left. */
export function jobProgressLine(name: string, { state, progress }: JobStatus): string {
  if (state.kind === 'queued') return `${name} queued${state.reason === '' ? '' : `: ${state.reason}`}`;
  const { step, totalSteps, loss, learningRate, stepsPerMinute, remainingMs, nanSince } = progress;
  const parts = [
    `step ${formatCount(step)}/${formatCount(totalSteps)}`,
    ...(loss === null ? [] : [`loss ${loss.toPrecision(4)}`]),
    ...(progress.rl ? rlParts(progress.rl) : []),
    ...(nanSince === null ? [] : [`the loss is NaN since step ${nanSince}`]),
    ...(learningRate === null ? [] : [`learning rate ${learningRate.toExponential(2)}`]),
    ...(stepsPerMinute === null ? ['no step yet'] : [`${stepsPerMinute.toPrecision(2)} steps/min`]),
    ...(remainingMs !== null && remainingMs > 0 && state.kind === 'running'
      ? [`${formatDuration(remainingMs)} left`]
      : []),
  ];
  return `${name} ${parts.join(' · ')}`;
}

/** Figures of a reinforcement learning step, without those that its trainer does not log. */
function rlParts(rl: RlFigures): string[] {
  const part = (value: number | null, text: (value: number) => string): string[] =>
    value === null ? [] : [text(value)];
  const share = (value: number): string => `${Math.round(value * 100)}%`;
  return [
    ...part(rl.reward, (value) => `reward ${value.toFixed(3)}`),
    ...part(rl.pass_rate, (value) => `${share(value)} right`),
    ...part(rl.entropy, (value) => `entropy ${value.toPrecision(2)}`),
    ...part(rl.kl, (value) => `KL ${value.toPrecision(2)}`),
    ...part(rl.length, (value) => `${Math.round(value)} tokens`),
    ...part(rl.calls, (value) => `${value.toFixed(1)} calls`),
    ...part(rl.mixed_groups, (value) => `${share(value)} mixed`),
    ...part(rl.failed || null, (value) => `${value} failed`),
    ...part(rl.unscored || null, (value) => `${value} unscored`),
  ];
}

/** Prints the state of a job, and records the end of one that was not followed. */
export async function printJobStatus(name: string, { json }: { readonly json?: true }): Promise<void> {
  const found = await findJob(name);
  const control = launcherTable[found.record.plan.launcher].open(systemClock);
  let { record } = found;
  const status = await jobStatus(found.folder, record, control);
  if (status.state.kind === 'ended' && lastAttempt(record).end === null) {
    record = await closeAttempt(found.folder, control, systemClock);
  }
  if (json) {
    console.log(JSON.stringify(await jobStatusJson({ ...found, record })));
    return;
  }
  const { plan, versions, attempts } = record;
  const attempt = lastAttempt(record);
  const version = versions[trainerTable[plan.trainer].tested.package];
  const lines = [
    `${jobProgressLine(found.name, status)} · ${status.state.kind}`,
    `${plan.trainer}${version === undefined ? '' : ` ${version}`} through ${plan.launcher}, model ${plan.model}`,
    `attempt ${attempts.length}, started ${attempt.started_at}${attempt.from_step > 0 ? ` from the checkpoint of step ${attempt.from_step}` : ''}`,
    `console: ${join(found.folder, record.follow.console_file)}`,
    ...attempt.set_aside.map((move) => `put aside: ${move}`),
    ...(attempt.end ? jobEndLines(found.name, attempt.end) : []),
    ...(attempt.end?.outcome === 'finished' ? await checkpointLines({ ...found, record }) : []),
  ];
  // Escaped, since it contains text of schedulers and the trainer's Python.
  console.log(runnable(lines.map(printable).join('\n')));
}

export async function jobStatusJson({ folder, record, name }: FoundJob) {
  const { state, progress } = await jobStatus(
    folder,
    record,
    launcherTable[record.plan.launcher].open(systemClock),
  );
  return {
    job: name,
    folder,
    state: state.kind,
    step: progress.step,
    total_steps: progress.totalSteps,
    loss: progress.loss,
    learning_rate: progress.learningRate,
    ...(progress.rl && { rl: progress.rl }),
    steps_per_minute: progress.stepsPerMinute,
    remaining_ms: progress.remainingMs,
    nan_since_step: progress.nanSince,
    attempts: record.attempts,
    end: lastAttempt(record).end,
    unchecked: record.unchecked,
    versions: record.versions,
    checkpoint: (await newestCheckpoint(folder, record))?.folder ?? null,
    data_sha256: record.plan.dataset.manifest_sha256,
  };
}

function howItEnded({ outcome, exit_code: exitCode }: AttemptEnd): string {
  if (outcome === 'stopped') return 'stopped';
  if (exitCode === null) return 'it no longer runs, and nothing tells how it ended';
  return exitCode === 0 ? 'failed, although its exit code is 0' : `failed with exit code ${exitCode}`;
}

/** Escapes control characters of a trainer's text. */
function quoted(line: string): string {
  return `  | ${printable(line)}`;
}
