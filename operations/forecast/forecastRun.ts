import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { sum } from '../../base/sum.ts';
import { UserError } from '../../base/userError.ts';
import type { PlannedTasks } from '../../pipeline/planRun.ts';
import { readRunFile } from '../../pipeline/run/openRun.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { usageSchema } from '../../schemas/chat.ts';
import type { Config } from '../../schemas/config/config.ts';
import { tasksAtOnce } from '../../schemas/config/resolved/endpoints.ts';
import { configOfRollout, memberConfigs } from '../../schemas/config/resolved/mixture.ts';
import { roleModel } from '../../schemas/config/resolved/sectionModel.ts';
import { dependsOnJudge, rolloutPlan } from '../../schemas/config/rollouts.ts';
import { teacherConfigSchema } from '../../schemas/config/teacher.ts';
import { asksEndpoint } from '../../schemas/config/teacherBackends.ts';
import { sampleSchema } from '../../schemas/sample.ts';
import { taskSchema } from '../../schemas/task.ts';
import { tokenCostUsd } from '../../schemas/tokenCost.ts';
import { ownEvents, roleSchema, type Trace } from '../../schemas/trace.ts';
import { forecastCount, forecastSum, type Interval, Moments, type Sampled } from './interval.ts';
import { type ModelUse, readJudgeUse, readToolModelUse } from './modelUse.ts';
import { type ProbeSeen, seenProbe } from './seenProbe.ts';

/** What a run is expected to take and give. */
export interface RunForecast {
  readonly tasks: number;
  /** Share of them that the probe lets through; absent where no model probes them. */
  readonly probe_keeps?: number;
  /** Tasks of the earlier run that the forecast is made from. */
  readonly seen_tasks: number;
  /** Profiles with tasks here and none there: left out of the forecast. */
  readonly unknown_profiles: readonly string[];
  /** Models of tools and of the judge included, but for embeddings. Null where the price of a model is not known. */
  readonly cost_usd: Interval | null;
  readonly tokens: Interval;
  readonly seconds: Interval;
  /** Null where the earlier run has not come to its end: which of its tasks are kept is not known. */
  readonly rows: Interval | null;
}

/** What the rollouts of one profile took and gave: a task has one, or several. */
interface Seen {
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
const workSchema = z.object({ taken_over: z.int().optional(), events: z.array(eventSchema) });
type Work = z.infer<typeof workSchema>;
type Rolled = Pick<Trace, 'task_id' | 'rollout' | 'repairs'>;

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
  const judge = await readJudgeUse(earlierFolder, config);
  const seen = await readSeen(earlierFolder, config, [toolModels, judge]);
  const tasks = countsByProfile(planned, 'tasks');
  const isSame = await hasSameRollouts(earlierFolder, config);
  const probe = await seenProbe(earlierFolder, config);
  const share = probe?.share ?? 1;
  const known = [...countsByProfile(planned, 'rollouts')].flatMap(([profile, most]) => {
    const of = seen.get(profile);
    if (!of || of.tokens.count < FEWEST_SEEN) return [];
    // How many it takes until enough are correct is known from the same rule alone.
    const ofTasks = (tasks.get(profile)! * of.tokens.count) / Math.max(1, of.tasks);
    const left = Math.round(share * (isSame ? ofTasks : most));
    return [{ of, left }];
  });
  if (dependsOnJudge(rolloutPlan(config.teacher)) && !isSame)
    throw new UserError(
      'teacher.rollouts: how many rollouts tasks take with `until` or `on_wrong` can be told from a run with the same settings alone; try some tasks first with --limit 20',
    );
  const sampled = (pick: (seen: Seen) => Moments): Sampled[] =>
    known.map(({ of, left }) => ({ seen: pick(of), left }));
  const withProbe = (pick: (seen: Seen | ProbeSeen) => Moments): Sampled[] => [
    ...sampled(pick),
    ...(probe ? [{ seen: pick(probe), left: sum([...tasks.values()]) }] : []),
  ];
  const isExported = (await readStageFile(earlierFolder, 'export'))?.complete === true;
  const isPriced =
    (!asksEndpoint(config.teacher) ||
      memberConfigs(config).every((member) =>
        roleSchema.options.every((role) => roleModel(member, role).endpoint.price),
      )) &&
    [...toolModels.values(), ...judge.values()].every(({ costUsd }) => costUsd !== undefined) &&
    probe?.isPriced !== false;
  return {
    tasks: sum([...tasks.values()]),
    ...(probe && { probe_keeps: share }),
    seen_tasks: sum(known.map(({ of }) => of.tasks)),
    unknown_profiles: [...tasks.keys()].filter(
      (profile) => (seen.get(profile)?.tokens.count ?? 0) < FEWEST_SEEN,
    ),
    cost_usd: isPriced ? forecastSum(withProbe((of) => of.costUsd)) : null,
    tokens: forecastSum(withProbe((of) => of.tokens)),
    seconds: dividedBy(forecastSum(sampled((of) => of.seconds)), tasksAtOnce(config).least),
    rows: isExported
      ? addedUp(known.map(({ of, left }) => forecastCount(of.kept, of.tokens.count, left)))
      : null,
  };
}

async function readSeen(
  runFolder: string,
  config: Config,
  models: readonly ReadonlyMap<string, ModelUse>[],
): Promise<Map<string, Seen>> {
  const profileOf = new Map<string, string>();
  for await (const { record } of stageRecords(runFolder, 'dedup', taskSchema))
    profileOf.set(record.id, record.profile);
  const seen = new Map<string, Seen>();
  // What the models of tools and of the judge took is known by task: it is added to one of the task's rollouts.
  const untold = models.map((use) => new Map(use));
  const add = ({ task_id, rollout, repairs }: Rolled, work: Work): void => {
    const profile = profileOf.get(task_id);
    if (profile === undefined) return;
    const of = seenOf(seen, profile);
    if (rollout === undefined) of.tasks++;
    const beside = untold.flatMap((use) => use.get(task_id) ?? []);
    addWork(of, work, configOfRollout(config, { task_id, rollout, repairs }), beside);
    for (const use of untold) use.delete(task_id);
  };
  const traces = workSchema.extend({
    task_id: z.string(),
    rollout: z.int().optional(),
    repairs: z.int().optional(),
  });
  for await (const { record } of stageRecords(runFolder, 'rollout', traces)) add(record, record);
  for await (const entry of readLedger(runFolder, 'rollout')) {
    const partial = workSchema.safeParse(entry.kind === 'fail' ? entry.partial : undefined);
    if (partial.success) add(entry, partial.data);
  }
  const addKept = (task_id: string): void => {
    const profile = profileOf.get(task_id);
    if (profile !== undefined) seenOf(seen, profile).kept++;
  };
  for await (const { record } of stageRecords(runFolder, 'export', sampleSchema)) addKept(record.task_id);
  for await (const entry of readLedger(runFolder, 'export'))
    if (entry.kind === 'drop' && entry.reason === 'over_target') addKept(entry.task_id);
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

function addWork(seen: Seen, work: Work, config: Config, beside: readonly ModelUse[]): void {
  let [costUsd, tokens, ms] = [0, 0, 0];
  for (const use of beside) {
    costUsd += use.costUsd ?? 0;
    tokens += use.tokens;
  }
  for (const event of ownEvents(work)) {
    ms += event.duration_ms;
    if (event.type === 'tool_call') continue;
    tokens += event.usage.prompt_tokens + event.usage.completion_tokens;
    costUsd += tokenCostUsd(event.usage, roleModel(config, event.role).endpoint.price);
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
