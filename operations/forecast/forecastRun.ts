import { sum } from '../../base/sum.ts';
import { UserError } from '../../base/userError.ts';
import type { PlannedTasks } from '../../pipeline/planRun.ts';
import { readRunSpending } from '../../pipeline/run/runSpending.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import { readManifest } from '../../pipeline/run/wholeFiles.ts';
import type { Config } from '../../schemas/config/config.ts';
import { tasksAtOnce } from '../../schemas/config/resolved/endpoints.ts';
import { dependsOnJudge, rolloutPlan } from '../../schemas/config/rollouts.ts';
import { ANY_PROFILE, wantedCounts } from '../../schemas/config/target.ts';
import type { RunSpending } from '../../schemas/run/runFile.ts';
import { forecastCount, forecastSum, type Interval, intervalOf, type Moments } from './interval.ts';
import { type ProbeSeen, readSeen, type Seen, type SeenRun } from './seenRun.ts';

/** What a run is expected to take and give. */
export interface RunForecast {
  readonly tasks: number;
  /** Share of them that the probe lets through; absent where no model probes them. */
  readonly probe_keeps?: number;
  /** Tasks of the earlier run that the forecast is made from. */
  readonly seen_tasks: number;
  /** What that run took. */
  readonly seen_spent: RunSpending;
  /** Profiles with tasks here and none there: left out of the forecast. */
  readonly unknown_profiles: readonly string[];
  /** Models of tools and of the judge included, but for embeddings. Null where the price of a model is not known. */
  readonly cost_usd: Interval | null;
  readonly tokens: Interval;
  /** Null where the cache answered the earlier run: how long a model takes is not known from it. */
  readonly seconds: Interval | null;
  /** Null where the earlier run has not come to its end: which of its tasks are kept is not known. */
  readonly rows: Interval | null;
}

/** Fewest tasks of a profile that a forecast is made from. */
export const FEWEST_SEEN = 5;

/**
 * Forecasts a run from what the tasks of an earlier one took, profile by profile: cost at today's prices, time at
 * today's concurrency, rows that are kept. With a target, of the tasks that it takes at the yield of the earlier run and
 * with rows as long as there; of all tasks where that is not known.
 *
 * @throws UserError where the earlier run had another probe, or other rollouts that follow on the judge
 */
export async function forecastRun(
  planned: readonly PlannedTasks[],
  earlierFolder: string,
  config: Config,
): Promise<RunForecast> {
  const seen = await readSeen(earlierFolder, config);
  if (dependsOnJudge(rolloutPlan(config.teacher)) && !seen.hasSameRollouts)
    throw new UserError(
      'teacher.rollouts: how many rollouts tasks take with `until` or `on_wrong` can be told from a run with the same settings alone; try some tasks first with --limit 20',
    );
  const isExported = (await readStageFile(earlierFolder, 'export'))?.complete === true;
  const { target } = config;
  const tasks =
    target && isExported ? await tasksForTarget(planned, seen, wantedCounts(target), earlierFolder) : planned;
  const seen_spent = await readRunSpending(earlierFolder);
  return { ...forecastTasks(tasks, seen, { atOnce: tasksAtOnce(config).least, isExported }), seen_spent };
}

function forecastTasks(
  planned: readonly PlannedTasks[],
  seen: SeenRun,
  { atOnce, isExported }: { readonly atOnce: number; readonly isExported: boolean },
): Omit<RunForecast, 'seen_spent'> {
  const { probe } = seen;
  const tasks = countsByProfile(planned, 'tasks');
  const known = knownTasks(planned, seen);
  const taken = (pick: (seen: Seen) => Moments) => known.map(({ of, left }) => ({ seen: pick(of), left }));
  const paid = (pick: (seen: Seen | ProbeSeen) => Moments) =>
    forecastSum([...taken(pick), ...(probe ? [{ seen: pick(probe), left: sum(tasks.values()) }] : [])]);
  const isTimed = known.every(({ of }) => of.seconds.count >= FEWEST_SEEN);
  const seconds = forecastSum(taken((of) => of.seconds));
  return {
    tasks: sum(tasks.values()),
    ...(probe && { probe_keeps: probe.share }),
    seen_tasks: sum(known.map(({ of }) => of.tasks)),
    unknown_profiles: [...tasks.keys()].filter((profile) => !isKnown(seen.profiles.get(profile))),
    cost_usd: seen.isPriced ? paid((of) => of.costUsd) : null,
    tokens: paid((of) => of.tokens),
    seconds: isTimed ? intervalOf((bound) => seconds[bound] / atOnce) : null,
    rows: isExported ? rowsOf(known) : null,
  };
}

interface KnownTasks {
  readonly of: Seen;
  /** Rollouts that are to come. */
  readonly left: number;
}

/** The tasks of which the earlier run has seen enough. */
function knownTasks(planned: readonly PlannedTasks[], seen: SeenRun): KnownTasks[] {
  const tasks = countsByProfile(planned, 'tasks');
  return [...countsByProfile(planned, 'rollouts')].flatMap(([profile, most]) => {
    const of = seen.profiles.get(profile);
    if (!isKnown(of)) return [];
    // How many it takes until enough are correct is known from the same rule alone.
    const ofTasks = (tasks.get(profile)! * of.tokens.count) / Math.max(1, of.tasks);
    return [{ of, left: Math.round((seen.probe?.share ?? 1) * (seen.hasSameRollouts ? ofTasks : most)) }];
  });
}

function isKnown(of: Seen | undefined): of is Seen {
  return of !== undefined && of.tokens.count >= FEWEST_SEEN;
}

/** Bounds of several kinds together: as if all were off in the same direction, which is on the safe side. */
function rowsOf(known: readonly KnownTasks[]): Interval {
  const rows = known.map(({ of, left }) => forecastCount(of.kept, of.tokens.count, left));
  return intervalOf((bound) => sum(rows.map((interval) => interval[bound])));
}

function countsByProfile(planned: readonly PlannedTasks[], what: 'tasks' | 'rollouts'): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of planned) counts.set(row.profile, (counts.get(row.profile) ?? 0) + row[what]);
  return counts;
}

async function tasksForTarget(
  planned: readonly PlannedTasks[],
  seen: SeenRun,
  { unit, wanted }: ReturnType<typeof wantedCounts>,
  earlierFolder: string,
): Promise<PlannedTasks[]> {
  const manifest = await readManifest(earlierFolder);
  const perRow = unit === 'rows' ? 1 : manifest && manifest.rows > 0 ? manifest.tokens / manifest.rows : 0;
  return Object.entries(wanted).flatMap(([key, amount]) => {
    const own = planned.filter(({ profile }) => key === ANY_PROFILE || key === profile);
    const given = rowsOf(knownTasks(own, seen)).expected * perRow;
    const share = given > 0 ? Math.min(1, amount / given) : 1;
    return own.map((row) => ({
      ...row,
      tasks: Math.ceil(row.tasks * share),
      rollouts: Math.ceil(row.rollouts * share),
    }));
  });
}
