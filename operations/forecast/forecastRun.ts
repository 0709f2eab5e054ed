import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { UserError } from '../../base/userError.ts';
import { priceOf } from '../../calls/budget/priceOf.ts';
import type { PlannedTasks } from '../../pipeline/planRun.ts';
import { readRunFile } from '../../pipeline/run/openRun.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { usageSchema } from '../../schemas/chat.ts';
import type { Config } from '../../schemas/config/config.ts';
import { tasksAtOnce } from '../../schemas/config/resolved/endpoints.ts';
import { rolloutPlan } from '../../schemas/config/rollouts.ts';
import { teacherConfigSchema } from '../../schemas/config/teacher.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import { sampleSchema } from '../../schemas/sample.ts';
import { taskSchema } from '../../schemas/task.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';
import { roleSchema, type Trace } from '../../schemas/trace.ts';
import { forecastCount, forecastSum, type Interval, Moments, type Sampled } from './interval.ts';
import { readToolModelUse, type ToolModelUse } from './toolModelUse.ts';

/** What a run is expected to take and give. */
export interface RunForecast {
  /** Tasks of the run that is forecast. */
  readonly tasks: number;
  /** Tasks of the earlier run that the forecast is made from. */
  readonly seen_tasks: number;
  /** Profiles with tasks here and none there: left out of the forecast. */
  readonly unknown_profiles: readonly string[];
  /** Models of tools included, but for embeddings. Null where the price of a model is not known. */
  readonly cost_usd: Interval | null;
  readonly tokens: Interval;
  readonly seconds: Interval;
  /** Null where the earlier run has not come to its end: which of its tasks are kept is not known. */
  readonly rows: Interval | null;
}

/** What the rollouts of one profile took and gave: a task has one, or several. */
interface Seen {
  /** Tasks that they are of. */
  tasks: number;
  readonly costUsd: Moments;
  readonly tokens: Moments;
  readonly seconds: Moments;
  kept: number;
}

const eventSchema = z.union([
  z.object({ type: z.literal('agent_call'), role: roleSchema, usage: usageSchema, duration_ms: z.number() }),
  z.object({ type: z.literal('tool_call'), duration_ms: z.number() }),
]);
const workSchema = z.object({ events: z.array(eventSchema) });
type Work = z.infer<typeof workSchema>;
type Rolled = Pick<Trace, 'task_id' | 'rollout'>;

/** Fewest tasks of a profile that a forecast is made from. */
export const FEWEST_SEEN = 5;

/**
 * Forecasts a run from what the tasks of an earlier one took, profile by profile: cost at today's prices, time at
 * today's concurrency, rows that are kept.
 */
export async function forecastRun(
  planned: readonly PlannedTasks[],
  earlierFolder: string,
  config: Config,
): Promise<RunForecast> {
  const toolModels = await readToolModelUse(earlierFolder, config);
  const seen = await readSeen(earlierFolder, config, toolModels);
  const tasks = countsByProfile(planned, 'tasks');
  const isSame = await hasSameRollouts(earlierFolder, config);
  const known = [...countsByProfile(planned, 'rollouts')].flatMap(([profile, most]) => {
    const of = seen.get(profile);
    if (!of || of.tokens.count < FEWEST_SEEN) return [];
    // How many it takes until enough are correct is known from the same rule alone.
    const left = isSame ? Math.round((tasks.get(profile)! * of.tokens.count) / Math.max(1, of.tasks)) : most;
    return [{ of, left }];
  });
  if (rolloutPlan(config.teacher).correct !== undefined && !isSame)
    throw new UserError(
      'teacher.rollouts: how many rollouts tasks take with `until` can be told from a run with the same teacher.rollouts alone; try some tasks first with --limit 20',
    );
  const sampled = (pick: (seen: Seen) => Moments): Sampled[] =>
    known.map(({ of, left }) => ({ seen: pick(of), left }));
  const isExported = (await readStageFile(earlierFolder, 'export'))?.complete === true;
  const isPriced =
    (!asksEndpoint(config.teacher) || roleSchema.options.every((role) => priceOf(config, role))) &&
    [...toolModels.values()].every(({ costUsd }) => costUsd !== undefined);
  return {
    tasks: sum([...tasks.values()]),
    seen_tasks: sum(known.map(({ of }) => of.tasks)),
    unknown_profiles: [...tasks.keys()].filter(
      (profile) => (seen.get(profile)?.tokens.count ?? 0) < FEWEST_SEEN,
    ),
    cost_usd: isPriced ? forecastSum(sampled((of) => of.costUsd)) : null,
    tokens: forecastSum(sampled((of) => of.tokens)),
    seconds: dividedBy(forecastSum(sampled((of) => of.seconds)), tasksAtOnce(config)),
    rows: isExported
      ? addedUp(known.map(({ of, left }) => forecastCount(of.kept, of.tokens.count, left)))
      : null,
  };
}

async function readSeen(
  runFolder: string,
  config: Config,
  toolModels: ReadonlyMap<string, ToolModelUse>,
): Promise<Map<string, Seen>> {
  const profileOf = new Map<string, string>();
  for await (const { record } of stageRecords(runFolder, 'dedup', taskSchema))
    profileOf.set(record.id, record.profile);
  const seen = new Map<string, Seen>();
  // What tools' models took is known by task: it is added to one of the task's rollouts.
  const untold = new Map(toolModels);
  const add = ({ task_id, rollout }: Rolled, work: Work): void => {
    const profile = profileOf.get(task_id);
    if (profile === undefined) return;
    const of = seenOf(seen, profile);
    if (rollout === undefined) of.tasks++;
    addWork(of, work, config, untold.get(task_id));
    untold.delete(task_id);
  };
  const traces = workSchema.extend({ task_id: z.string(), rollout: z.int().optional() });
  for await (const { record } of stageRecords(runFolder, 'rollout', traces)) add(record, record);
  for await (const entry of readLedger(runFolder, 'rollout')) {
    const partial = workSchema.safeParse(entry.kind === 'fail' ? entry.partial : undefined);
    if (partial.success) add(entry, partial.data);
  }
  for await (const { record } of stageRecords(runFolder, 'export', sampleSchema)) {
    const profile = profileOf.get(record.task_id);
    if (profile !== undefined) seenOf(seen, profile).kept++;
  }
  return seen;
}

function seenOf(seen: Map<string, Seen>, profile: string): Seen {
  const of = seen.get(profile) ?? {
    tasks: 0,
    costUsd: new Moments(),
    tokens: new Moments(),
    seconds: new Moments(),
    kept: 0,
  };
  seen.set(profile, of);
  return of;
}

function addWork(seen: Seen, { events }: Work, config: Config, tools?: ToolModelUse): void {
  let [costUsd, tokens, ms] = [tools?.costUsd ?? 0, tools?.tokens ?? 0, 0];
  for (const event of events) {
    ms += event.duration_ms;
    if (event.type === 'tool_call') continue;
    tokens += event.usage.prompt_tokens + event.usage.completion_tokens;
    costUsd += tokenCostUsd(event.usage, priceOf(config, event.role));
  }
  seen.costUsd.add(costUsd);
  seen.tokens.add(tokens);
  seen.seconds.add(ms / 1000);
}

function countsByProfile(planned: readonly PlannedTasks[], what: 'tasks' | 'rollouts'): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of planned) counts.set(row.profile, (counts.get(row.profile) ?? 0) + row[what]);
  return counts;
}

/** Whether an earlier run rolled its tasks out by the same rule. */
async function hasSameRollouts(runFolder: string, { teacher }: Config): Promise<boolean> {
  const earlier = teacherConfigSchema.safeParse((await readRunFile(runFolder))?.config.teacher).data;
  return isDeepStrictEqual(rolloutPlan(earlier ?? { rollouts: 1 }), rolloutPlan(teacher));
}

function dividedBy({ low, expected, high }: Interval, by: number): Interval {
  return { low: low / by, expected: expected / by, high: high / by };
}

/** Bounds of several kinds together: as if all were off in the same direction, which is on the safe side. */
function addedUp(intervals: readonly Interval[]): Interval {
  return {
    low: sum(intervals.map(({ low }) => low)),
    expected: sum(intervals.map(({ expected }) => expected)),
    high: sum(intervals.map(({ high }) => high)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
