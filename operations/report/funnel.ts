import { readRunFile } from '../../pipeline/run/openRun.ts';
import { isStageDone, readStageFile } from '../../pipeline/run/stageFiles.ts';
import { readLedger, readRecordLines } from '../../pipeline/run/stageJournals.ts';
import { stagesOfRun } from '../../pipeline/run/stagesOfRun.ts';
import { Tally } from '../../pipeline/run/tally.ts';
import type { FunnelRow } from '../../schemas/report.ts';
import type { StageCounts } from '../../schemas/run/runFile.ts';

/** A stage's row of the funnel, and whether it is done as the run's configuration wants it. */
export interface FunnelStage extends FunnelRow {
  readonly complete: boolean;
}

/** What became of the records at each stage that has begun. A stage under way is counted from its journals. */
export async function readFunnel(runFolder: string): Promise<FunnelStage[]> {
  const rows: FunnelStage[] = [];
  const run = await readRunFile(runFolder);
  const wanted = run?.stage_hashes;
  for (const stage of stagesOfRun(run)) {
    const file = await readStageFile(runFolder, stage);
    if (!file) continue;
    const isCurrent = wanted === undefined || wanted[stage] === file.config_hash;
    // What goes into a stage that works while the one before does is what that one has let through by now.
    const entered = file.index_of ? (rows.at(-1)?.emitted ?? 0) : file.entered;
    const counts = file.complete ? file : await countJournals(runFolder, stage, entered);
    rows.push({ ...funnelRow(stage, counts), complete: isCurrent && (await isStageDone(runFolder, stage)) });
  }
  return rows;
}

/** The counts of a stage as a row of the funnel. */
function funnelRow(stage: string, counts: StageCounts): FunnelRow {
  const { entered, emitted_inputs, dropped, failed } = counts;
  return { stage, entered, emitted: emitted_inputs, dropped, failed };
}

async function countJournals(runFolder: string, stage: string, entered: number): Promise<StageCounts> {
  const tally = new Tally();
  for await (const { count } of readRecordLines(runFolder, stage)) tally.emitted(count);
  for await (const entry of readLedger(runFolder, stage)) {
    if (entry.kind === 'drop') tally.dropped(entry.reason);
    else tally.failed(entry.failure.cause);
  }
  return tally.counts(Math.max(entered, tally.finished));
}
