import { printable } from '../base/printable.ts';
import { UserError } from '../base/userError.ts';
import { findTasks, type StoryStep, taskStory } from '../operations/taskStory.ts';
import { segmentWeights } from '../output/rows/segmentWeights.ts';
import { profilesOfRun } from '../pipeline/config/declaredProfiles.ts';
import { findRun, runWord } from '../pipeline/run/findRun.ts';
import { readManifest } from '../pipeline/run/wholeFiles.ts';
import type { Profile } from '../schemas/coa/profile.ts';
import { groundingOf } from '../schemas/filters/grounding.ts';
import { unsupportedThoughtOf } from '../schemas/filters/unsupportedThought.ts';
import { groundingText, unsupportedText } from '../schemas/groundingText.ts';
import type { RunFile } from '../schemas/run/runFile.ts';
import type { Trajectory } from '../schemas/trajectory.ts';
import { type Records, recordsOf, rolloutOf } from '../viewer/server/rowSteps.ts';
import { maskOf } from '../viewer/server/runSource.ts';
import { formatCount } from './format.ts';
import { coloured, print } from './outputMode.ts';
import { wrapWords } from './wrapWords.ts';

interface ShownRecord extends Records {
  /** Lines about the grounding of its answer and thoughts. */
  readonly rests_on: readonly string[];
  readonly weights: readonly number[];
  /** Outcome, such as `dropped by filter: wrong_answer`. */
  readonly end: string;
}

/** Prints a row of a run, or all records of a task: whole trajectories with trained text marked. */
export async function showFromCommandLine(
  name: string,
  id: string,
  { json }: { readonly json?: true },
): Promise<void> {
  const { folder, run } = await findRun(name);
  const [taskId] = await findTasks(folder, run, id);
  if (taskId === undefined)
    throw new UserError(
      `${run.name}: no row, task or trajectory has the id "${id}"; expected for instance train:0 or task_...; list them with: coa-distill view ${runWord(folder)} --rows ''`,
    );
  const records = await shownRecords(folder, run, taskId);
  const meant = records.filter(({ trajectory, trace }) => [trajectory?.id, trace?.id].includes(id));
  const shown = meant.length > 0 ? meant : records;
  await print(`${json ? JSON.stringify(shown) : shown.map((record) => recordText(record)).join('\n\n')}\n`);
}

/** Latest record of each rollout of a task. */
export async function shownRecords(folder: string, run: RunFile, taskId: string): Promise<ShownRecord[]> {
  const steps = await taskStory(folder, run, taskId);
  const mask = maskOf(run.config, await readManifest(folder));
  const profiles = profilesOfRun(run.config);
  const ends = steps.flatMap((step) =>
    step.kind === 'emitted' ? step.records : 'entry' in step ? [step.entry] : [],
  );
  const rollouts = new Set(ends.map(({ rollout }) => Number(rollout ?? 0)));
  return [...rollouts].map((rollout) => {
    const own = steps.map((step) => rolloutOf(step, rollout)).filter((step) => step !== undefined);
    const records = recordsOf(own);
    const { trajectory } = records;
    const profile = trajectory && profiles.profileOf(trajectory.profile);
    const weights = trajectory && profile ? segmentWeights(trajectory, profile, mask) : [];
    const rests_on = trajectory && profile ? evidenceLines(trajectory, profile) : [];
    return { ...records, rests_on, weights, end: endOf(records, own.at(-1)) };
  });
}

function evidenceLines(trajectory: Trajectory, profile: Profile): string[] {
  const grounding = groundingOf(trajectory, profile);
  const unsupported = unsupportedText({ unsupported_thought: unsupportedThoughtOf(trajectory, profile) });
  return [
    ...(grounding ? [`grounding: ${groundingText(grounding)}`] : []),
    ...(unsupported === undefined ? [] : [`thought before it was seen: ${unsupported}`]),
  ];
}

function endOf({ sample }: Records, last: StoryStep | undefined): string {
  if (sample)
    return `row ${sample.split}:${sample.row}, ${formatCount(sample.tokens)} tokens, ${formatCount(sample.trained_tokens)} of them trained`;
  if (!last || last.kind === 'emitted') return `up to ${last?.stage ?? 'tasks'}`;
  if (last.kind === 'retry') return `pending again after ${last.cause}`;
  const { entry } = last;
  return entry.kind === 'drop'
    ? `dropped by ${last.stage}: ${entry.reason}`
    : `failed in ${last.stage}: ${entry.failure.cause}`;
}

const looks = {
  trained: { mark: '+', colour: 'green' },
  untrained: { mark: '-', colour: 'yellow' },
  environment: { mark: ' ', colour: 'gray' },
} as const;
type Look = keyof typeof looks;

/**
 * Formats a record as lines: prompts, then the trajectory's text. The first character of a line marks trained text,
 * also without colours.
 */
export function recordText(
  { task, trajectory, sample, rests_on, weights, end }: ShownRecord,
  { columns }: Pick<NodeJS.WriteStream, 'columns'> = process.stdout,
): string {
  const id = task?.given_id ?? task?.id ?? trajectory?.task_id ?? '';
  const head = [
    `${id} · ${task?.profile ?? trajectory?.profile ?? ''} · ${end}`,
    ...(task
      ? [`question: ${task.question}`, `answers: ${task.answers.join(' | ') || 'none, judged by tests'}`]
      : []),
    ...rests_on,
  ].flatMap((line) => linesOf(line, columns));
  if (!trajectory) return [...head, 'no trajectory: it did not come so far'].join('\n');
  const { segments, system, user } = trajectory;
  const kept = segments.length - (sample?.cut?.segments ?? 0);
  return [
    ...head,
    `${paint('trained', '+ trained')}, ${paint('untrained', "- the model's, not trained")}, ${paint('environment', 'prompt and environment: never trained')}`,
    '',
    ...[system, user].flatMap((text) => block('environment', text, columns)),
    ...segments
      .slice(0, kept)
      .flatMap(({ origin, text }, at) =>
        block(
          origin === 'environment' ? 'environment' : weights[at] === 0 ? 'untrained' : 'trained',
          text,
          columns,
        ),
      ),
    ...(kept < segments.length ? [`${segments.length - kept} segments are cut off to fit`] : []),
  ].join('\n');
}

function block(look: Look, text: string, columns: number): string[] {
  return linesOf(text.replace(/\n$/, ''), columns - 2).map((line) =>
    paint(look, `${looks[look].mark} ${line}`.trimEnd()),
  );
}

function paint(look: Look, text: string): string {
  return coloured(looks[look].colour, text);
}

/** Escapes control characters, since models and tools wrote the text. */
function linesOf(text: string, columns: number): string[] {
  const lines = text.replaceAll('\t', '    ').split('\n').map(printable);
  return columns > 0 ? lines.flatMap((line) => wrapWords(line, columns)) : lines;
}
