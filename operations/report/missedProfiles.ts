import { z } from 'zod';
import { stagesOfRun } from '../../pipeline/run/runFile.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { ANY_PROFILE } from '../../schemas/config/target.ts';
import type { FunnelRow } from '../../schemas/report.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import type { TargetFile } from '../../schemas/run/targetFile.ts';

const taskSchema = z.object({ id: z.string(), profile: z.string() });

/**
 * What became of the tasks of those profiles that a target by profile lacks rows of, stage by stage: the losses of the
 * others say nothing of them. Each row counts all that ended; undefined for any other target, and where none is lacking.
 */
export async function missedProfiles(
  runFolder: string,
  run: RunFile,
  { wanted, windows }: TargetFile,
): Promise<readonly FunnelRow[] | undefined> {
  const held = windows.at(-1)?.held ?? {};
  const lacking = Object.keys(wanted).filter((key) => (held[key] ?? 0) < wanted[key]!);
  if (lacking.length === 0 || ANY_PROFILE in wanted) return undefined;
  const ids = new Set<string>();
  for await (const { record } of stageRecords(runFolder, 'tasks', taskSchema))
    if (lacking.includes(record.profile)) ids.add(record.id);
  const rows: { stage: string; dropped: Record<string, number>; failed: Record<string, number> }[] = [];
  let entered = lacking.reduce((sum, key) => sum + (held[key] ?? 0), 0);
  for (const stage of stagesOfRun(run)) {
    const [dropped, failed]: Record<string, number>[] = [{}, {}];
    for await (const entry of readLedger(runFolder, stage)) {
      if (!ids.has(entry.task_id)) continue;
      const [counts, reason] =
        entry.kind === 'drop' ? [dropped!, entry.reason] : [failed!, entry.failure.cause];
      counts[reason] = (counts[reason] ?? 0) + 1;
      entered++;
    }
    rows.push({ stage, dropped: dropped!, failed: failed! });
  }
  return rows.map((row) => ({ ...row, entered, emitted: 0 }));
}
