import type { PlannedTasks } from '../../pipeline/planRun.ts';
import { readManifest } from '../../pipeline/run/readManifest.ts';
import type { Config } from '../../schemas/config/config.ts';
import { ANY_PROFILE, wantedCounts } from '../../schemas/config/target.ts';
import { forecastRun } from './forecastRun.ts';

/**
 * The tasks that a run will work on until its dataset holds the rows or tokens that `target` asks for, at the yield of an
 * earlier run and with rows as long as there; all of them without a target, and where the yield is not known.
 */
export async function tasksForTarget(
  planned: readonly PlannedTasks[],
  earlierFolder: string,
  config: Config,
): Promise<readonly PlannedTasks[]> {
  if (!config.target) return planned;
  const { unit, wanted } = wantedCounts(config.target);
  const perRow = unit === 'rows' ? 1 : await tokensPerRow(earlierFolder);
  const taken: PlannedTasks[] = [];
  for (const [key, amount] of Object.entries(wanted)) {
    const own = planned.filter(({ profile }) => key === ANY_PROFILE || key === profile);
    const { rows } = await forecastRun(own, earlierFolder, config);
    const share =
      rows && rows.expected > 0 && perRow > 0 ? Math.min(1, amount / (rows.expected * perRow)) : 1;
    taken.push(...own.map((row) => ({ ...row, ...shareOf(row, share) })));
  }
  return taken;
}

/** Tokens of an average row of a run's dataset; 0 where it has none. */
async function tokensPerRow(runFolder: string): Promise<number> {
  const manifest = await readManifest(runFolder);
  return manifest && manifest.rows > 0 ? manifest.tokens / manifest.rows : 0;
}

function shareOf({ tasks, rollouts }: PlannedTasks, share: number) {
  return { tasks: Math.ceil(tasks * share), rollouts: Math.ceil(rollouts * share) };
}
