import { z } from 'zod';
import { byName } from '../../base/counts.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { readRunFile, stagesOfRun } from '../../pipeline/run/runFile.ts';
import { isStageDone, readStageFile } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger, readRecordLines } from '../../pipeline/run/stageJournals.ts';
import { Tally } from '../../pipeline/run/tally.ts';
import { ANY_PROFILE } from '../../schemas/config/target.ts';
import type { FunnelRow } from '../../schemas/report.ts';
import type { RunFile, StageCounts } from '../../schemas/run/runFile.ts';
import type { TargetFile } from '../../schemas/run/targetFile.ts';

/** Funnel row of a stage, and whether it is done under the run's configuration. */
export interface FunnelStage extends FunnelRow {
  readonly complete: boolean;
}

export type EndCounts = Omit<StageCounts, 'entered'>;

/**
 * Outcomes at each stage that has begun. A running stage is counted from its journals.
 *
 * @param known counts of a running stage, if its journals are followed; undefined if they must be read
 */
export async function readFunnel(
  runFolder: string,
  known: (stage: StageName) => EndCounts | undefined = () => undefined,
): Promise<FunnelStage[]> {
  const rows: FunnelStage[] = [];
  const run = await readRunFile(runFolder);
  const wanted = run?.stage_hashes;
  for (const stage of stagesOfRun(run)) {
    const file = await readStageFile(runFolder, stage);
    if (!file) continue;
    const isCurrent = wanted === undefined || wanted[stage] === file.config_hash;
    // The input of a stage in a chain is the current output of the stage before.
    const entered = file.index_of ? (rows.at(-1)?.emitted ?? 0) : file.entered;
    const counts = file.complete
      ? file
      : underWay(entered, known(stage) ?? (await countJournals(runFolder, stage)));
    rows.push({
      ...funnelRow(stage, counts),
      complete: isCurrent && (await isStageDone(runFolder, stage)),
    });
  }
  return rows;
}

function funnelRow(stage: string, counts: StageCounts): FunnelRow {
  const { entered, emitted_inputs, dropped, failed } = counts;
  return { stage, entered, emitted: emitted_inputs, dropped, failed };
}

/** `entered` may lag behind the ended inputs. */
function underWay(entered: number, ends: EndCounts): StageCounts {
  const { emitted_inputs, dropped, failed } = ends;
  let ended = emitted_inputs;
  for (const count of [...Object.values(dropped), ...Object.values(failed)]) ended += count;
  const counts = { dropped: byName(Object.entries(dropped)), failed: byName(Object.entries(failed)) };
  return { ...ends, ...counts, entered: Math.max(entered, ended) };
}

async function countJournals(runFolder: string, stage: string): Promise<EndCounts> {
  const tally = new Tally();
  for await (const { count } of readRecordLines(runFolder, stage)) tally.emitted(count);
  for await (const entry of readLedger(runFolder, stage)) {
    if (entry.kind === 'drop') tally.dropped(entry.reason);
    else tally.failed(entry.failure.cause);
  }
  return tally.counts(tally.finished);
}

const taskSchema = z.object({ id: z.string(), profile: z.string() });

/**
 * Funnel of the profiles for which a target by profile lacks rows; other profiles' losses are irrelevant. Each row
 * counts all that ended; undefined for other targets, and if no profile lacks rows.
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
