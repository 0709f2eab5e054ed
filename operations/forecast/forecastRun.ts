import { z } from 'zod';
import { priceOf } from '../../calls/budget/priceOf.ts';
import type { PlannedTasks } from '../../pipeline/planRun.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { usageSchema } from '../../schemas/chat.ts';
import type { Config } from '../../schemas/config/config.ts';
import { tasksAtOnce } from '../../schemas/config/resolved/endpoints.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import { sampleSchema } from '../../schemas/sample.ts';
import { taskSchema } from '../../schemas/task.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';
import { roleSchema } from '../../schemas/trace.ts';
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

/** What the tasks of one profile took and gave. */
interface Seen {
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
  const tasks = tasksByProfile(planned);
  const known = [...tasks].flatMap(([profile, left]) => {
    const of = seen.get(profile);
    return of && of.tokens.count >= FEWEST_SEEN ? [{ of, left }] : [];
  });
  const sampled = (pick: (seen: Seen) => Moments): Sampled[] =>
    known.map(({ of, left }) => ({ seen: pick(of), left }));
  const isExported = (await readStageFile(earlierFolder, 'export'))?.complete === true;
  const isPriced =
    (!asksEndpoint(config.teacher) || roleSchema.options.every((role) => priceOf(config, role))) &&
    [...toolModels.values()].every(({ costUsd }) => costUsd !== undefined);
  return {
    tasks: sum([...tasks.values()]),
    seen_tasks: sum(known.map(({ of }) => of.tokens.count)),
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
  const add = (taskId: string, work: Work): void => {
    const profile = profileOf.get(taskId);
    if (profile !== undefined) addWork(seenOf(seen, profile), work, config, toolModels.get(taskId));
  };
  const traces = workSchema.extend({ task_id: z.string() });
  for await (const { record } of stageRecords(runFolder, 'rollout', traces)) add(record.task_id, record);
  for await (const entry of readLedger(runFolder, 'rollout')) {
    const partial = workSchema.safeParse(entry.kind === 'fail' ? entry.partial : undefined);
    if (partial.success) add(entry.task_id, partial.data);
  }
  for await (const { record } of stageRecords(runFolder, 'export', sampleSchema)) {
    const profile = profileOf.get(record.task_id);
    if (profile !== undefined) seenOf(seen, profile).kept++;
  }
  return seen;
}

function seenOf(seen: Map<string, Seen>, profile: string): Seen {
  const of = seen.get(profile) ?? {
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

function tasksByProfile(planned: readonly PlannedTasks[]): Map<string, number> {
  const tasks = new Map<string, number>();
  for (const row of planned) tasks.set(row.profile, (tasks.get(row.profile) ?? 0) + row.tasks);
  return tasks;
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
