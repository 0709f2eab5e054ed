import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { sum } from '../../base/sum.ts';
import { UserError } from '../../base/userError.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { usageSchema } from '../../schemas/chat.ts';
import type { Config } from '../../schemas/config/config.ts';
import { type ProbeConfig, probeConfigSchema } from '../../schemas/config/probe.ts';
import { tasksAtOnce } from '../../schemas/config/resolved/endpoints.ts';
import { dependsOnJudge, mostRollouts, rolloutPlan } from '../../schemas/config/rollouts.ts';
import { ANY_PROFILE, wantedCounts } from '../../schemas/config/target.ts';
import { teacherConfigSchema } from '../../schemas/config/teacher.ts';
import type { PlannedTasks } from '../planRun.ts';
import { readEvents } from '../run/eventLog.ts';
import { readRunFile } from '../run/runFile.ts';
import { readStageFile } from '../run/stageFiles.ts';
import { stageRecords } from '../run/stageInputs.ts';
import { readLedger } from '../run/stageJournals.ts';
import { readManifest } from '../run/wholeFiles.ts';
import { forecastCount, forecastSum, type Interval, intervalOf, Moments } from './interval.ts';

export interface WorkEstimate {
  /** Sample size: tasks of a run, candidates of a synthesis. */
  readonly seen: number;
  /** Number of remaining records. */
  readonly left: number;
  /** Profiles with too few finished records; excluded. */
  readonly unknown: readonly string[];
  /** Uncached requests, without retries. */
  readonly requests: Interval;
  readonly tokens: Interval;
  /** Cost at the prices of the source run; 0 without prices. */
  readonly cost_usd: Interval;
  /** Duration at the configured concurrency. */
  readonly seconds: Interval;
  /** Rows, or candidates that pass all checks; null if the run has not reached that stage. */
  readonly kept: Interval | null;
}

/** Minimum sample size of a forecast. */
export const FEWEST_SEEN = 5;

/** Records of one kind: finished ones, results kept, and number remaining. */
export interface Kind {
  readonly name: string;
  readonly ended: readonly string[];
  readonly left: number;
  /** Ratio of the use of a remaining record to that of a finished one. */
  readonly scale?: number;
  readonly kept?: { readonly hits: number; readonly of: number };
}

/** Forecasts by kind: mean use of finished records times the number remaining. */
export function estimateOf(kinds: readonly Kind[], use: UseById, atOnce: number): WorkEstimate {
  const known = kinds.filter(({ ended }) => ended.length >= FEWEST_SEEN);
  const total = (of: keyof Use) =>
    forecastSum(
      known.map(({ ended, left, scale = 1 }) => {
        const seen = new Moments();
        for (const id of ended) seen.add(scale * (use.get(id)?.[of] ?? 0));
        return { seen, left };
      }),
    );
  const seconds = total('seconds');
  const counts = known.flatMap(({ kept, left, ended, scale = 1 }) =>
    kept ? [forecastCount(kept.hits, kept.of, Math.round((left * scale * kept.of) / ended.length))] : [],
  );
  return {
    seen: sum(known.map(({ ended }) => ended.length)),
    left: sum(known.map(({ left }) => left)),
    unknown: kinds.filter((kind) => kind.left > 0 && !known.includes(kind)).map(({ name }) => name),
    requests: total('requests'),
    tokens: total('tokens'),
    cost_usd: total('cost_usd'),
    seconds: intervalOf((bound) => seconds[bound] / atOnce),
    // Adds the bounds of all kinds, as if their errors were fully correlated.
    kept: counts.length === 0 ? null : intervalOf((bound) => sum(counts.map((interval) => interval[bound]))),
  };
}

/**
 * Forecasts a run's tasks from those finished in its folder or in an earlier run's. With a target, only as many tasks
 * as it needs.
 *
 * @param isSame whether `folder` is the run's own, so that its finished tasks are not counted as remaining
 * @throws UserError if the earlier run had another probe, or other rollouts that depend on the judge
 */
export async function estimateRun(
  planned: readonly PlannedTasks[],
  folder: string,
  config: Config,
  isSame: boolean,
): Promise<WorkEstimate> {
  const run = await readRunFile(folder);
  const earlier = teacherConfigSchema.safeParse(run?.config.teacher).data ?? { rollouts: 1 };
  const plans = [rolloutPlan(earlier), rolloutPlan(config.teacher)] as const;
  const hasSameRollouts = isDeepStrictEqual(...plans);
  if (!hasSameRollouts && plans.some((plan) => dependsOnJudge(plan)))
    throw new UserError(
      'teacher.rollouts: the number of rollouts with `until` or `on_wrong` is known only from a run with the same settings; try some tasks first with --limit 20',
    );
  await assertSameProbe(folder, config);
  const scale = mostRollouts(plans[1]) / mostRollouts(plans[0]);
  const use = await readUse(folder);
  const ended = await readEnded(folder, use);
  const isExported = (await readStageFile(folder, 'export'))?.complete === true;
  const counts = new Map<string, number>();
  for (const { profile, tasks } of planned) counts.set(profile, (counts.get(profile) ?? 0) + tasks);
  const kinds = [...counts].map(([profile, tasks]): Kind => {
    const { ids = [], rollouts = 0, rows = 0 } = ended.get(profile) ?? {};
    const left = isSame ? Math.max(0, tasks - ids.length) : tasks;
    const kept = isExported && rollouts > 0 ? { hits: Math.min(rows, rollouts), of: rollouts } : undefined;
    return { name: profile, ended: ids, left, scale, ...(kept && { kept }) };
  });
  const atOnce = tasksAtOnce(config).least;
  const wanted = isExported ? await neededFor(kinds, folder, config) : kinds;
  return estimateOf(wanted, use, atOnce);
}

/** Records of each kind that a target needs at the current yield; all without a target. */
async function neededFor(
  kinds: readonly Kind[],
  folder: string,
  { target }: Config,
): Promise<readonly Kind[]> {
  if (!target) return kinds;
  const { unit, wanted } = wantedCounts(target);
  const manifest = await readManifest(folder);
  const perRow = unit === 'rows' ? 1 : manifest && manifest.rows > 0 ? manifest.tokens / manifest.rows : 0;
  return Object.entries(wanted).flatMap(([key, amount]) => {
    const own = kinds.filter(({ name }) => key === ANY_PROFILE || key === name);
    const given = sum(own.map(({ kept, ended, left }) => (kept ? (left * kept.hits) / ended.length : 0)));
    const share = given * perRow > 0 ? Math.min(1, amount / (given * perRow)) : 1;
    return own.map((kind) => ({ ...kind, left: Math.ceil(kind.left * share) }));
  });
}

/** Forecast from a run's own folder; undefined until enough has finished. */
export async function knownEstimate(
  estimate: () => Promise<WorkEstimate>,
): Promise<WorkEstimate | undefined> {
  try {
    const known = await estimate();
    return known.seen === 0 ? undefined : known;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

interface Use {
  readonly requests: number;
  readonly tokens: number;
  readonly cost_usd: number;
  readonly seconds: number;
}

type UseById = ReadonlyMap<string, Use>;

const callSchema = z.object({
  event: z.enum(['model_call', 'tool_call']),
  task_id: z.string(),
  duration_ms: z.number(),
  usage: usageSchema.optional(),
  cost_usd: z.number().default(0),
});

export async function readUse(folder: string): Promise<UseById> {
  const use = new Map<string, Use>();
  for await (const call of readEvents(folder, '_call"', callSchema)) {
    const { event, task_id, duration_ms, usage, cost_usd } = call;
    const before = use.get(task_id) ?? { requests: 0, tokens: 0, cost_usd: 0, seconds: 0 };
    use.set(task_id, {
      requests: before.requests + (event === 'model_call' ? 1 : 0),
      tokens: before.tokens + (usage ? usage.prompt_tokens + usage.completion_tokens : 0),
      cost_usd: before.cost_usd + cost_usd,
      seconds: before.seconds + duration_ms / 1000,
    });
  }
  return use;
}

const idSchema = z.object({ id: z.string() });

export async function idsOf(folder: string, stage: StageName): Promise<string[]> {
  const ids: string[] = [];
  for await (const { record } of stageRecords(folder, stage, idSchema)) ids.push(record.id);
  return ids;
}

interface Ended {
  readonly ids: string[];
  rollouts: number;
  rows: number;
}

const taskSchema = z.object({ id: z.string(), profile: z.string() });
const rolledSchema = z.object({ task_id: z.string() });

/**
 * Finished tasks by profile, from probe or rollout. Cached tasks are excluded, since they say nothing about the cost of
 * others.
 */
async function readEnded(folder: string, use: UseById): Promise<Map<string, Ended>> {
  const profiles = new Map<string, string>();
  for await (const { record } of stageRecords(folder, 'dedup', taskSchema))
    profiles.set(record.id, record.profile);
  const ended = new Map<string, Ended>();
  const of = (task_id: string): Ended | undefined => {
    const profile = profiles.get(task_id);
    if (profile === undefined) return undefined;
    const own = ended.get(profile) ?? { ids: [], rollouts: 0, rows: 0 };
    ended.set(profile, own);
    return own;
  };
  const rolled = new Set<string>();
  const addRollout = (task_id: string): void => {
    const own = use.has(task_id) ? of(task_id) : undefined;
    if (!own) return;
    own.rollouts++;
    if (!rolled.has(task_id)) own.ids.push(task_id);
    rolled.add(task_id);
  };
  for await (const { task_id } of readLedger(folder, 'probe')) of(task_id)?.ids.push(task_id);
  for await (const { record } of stageRecords(folder, 'rollout', rolledSchema)) addRollout(record.task_id);
  for await (const { task_id } of readLedger(folder, 'rollout')) addRollout(task_id);
  const addRow = (task_id: string): void => {
    const own = rolled.has(task_id) ? of(task_id) : undefined;
    if (own) own.rows++;
  };
  for await (const { record } of stageRecords(folder, 'export', rolledSchema)) addRow(record.task_id);
  for await (const entry of readLedger(folder, 'export'))
    if (entry.kind === 'drop' && entry.reason === 'over_target') addRow(entry.task_id);
  return ended;
}

async function assertSameProbe(folder: string, { probe }: Config): Promise<void> {
  const earlier = probeConfigSchema.safeParse((await readRunFile(folder))?.config.probe).data;
  if (isDeepStrictEqual(earlier && settingsOf(earlier), probe && settingsOf(probe))) return;
  throw new UserError(
    'probe: which share of tasks it lets through is known only from a run with the same probe; try some tasks first with --limit 20',
  );
}

function settingsOf({ model, tries, pass_rate: { min, max } }: ProbeConfig) {
  return { model, tries, min, max };
}
