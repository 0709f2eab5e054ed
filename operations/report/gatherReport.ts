import { readFile } from 'node:fs/promises';
import { systemErrorCode } from '../../base/files/diskError.ts';
import { parseStored } from '../../base/parseStored.ts';
import { UserError } from '../../base/userError.ts';
import { plantedPath } from '../../pipeline/compose/plantedPath.ts';
import { profilesOfRun } from '../../pipeline/config/declaredProfiles.ts';
import { readBalanceTable } from '../../pipeline/run/balanceFile.ts';
import { readLedger } from '../../pipeline/run/readLedger.ts';
import { datasetManifestPath, isStageDone } from '../../pipeline/run/stageFiles.ts';
import { stagesOfRun } from '../../pipeline/run/stagesOfRun.ts';
import { maskConfigSchema } from '../../schemas/config/dataset.ts';
import { filtersConfigSchema } from '../../schemas/config/filters.ts';
import { judgeConfigSchema } from '../../schemas/config/judge.ts';
import { type Manifest, manifestSchema } from '../../schemas/manifest.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { PlantedRow, ReportData } from '../../schemas/report.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { type PlantedRecord, plantedRecordSchema } from '../../schemas/teacherScript.ts';
import { plantedAgainstFound } from '../../stages/plantedAgainstFound.ts';
import { readFunnel } from './funnel.ts';
import { keptRows, sampleTrajectories } from './keptRows.ts';
import { rolloutUse } from './rolloutUse.ts';
import { taskEnds } from './taskEnds.ts';
import { trainingJobs } from './trainingJobs.ts';

/** Entries shown of each kind of drop and failure at a stage. */
const EXAMPLES_A_KIND = 3;
/** How much evidence of a drop is shown. */
const MOST_EVIDENCE_CHARS = 300;

/** Everything that the summary and the report show of a run folder. */
export async function gatherReport(runFolder: string, run: RunFile): Promise<ReportData> {
  const manifest = await readManifest(runFolder);
  const { profileOf } = profilesOfRun(run.config);
  const mask = manifest?.mask ?? maskConfigSchema.parse({});
  return {
    run: run.name,
    coa_distill_version: run.coa_distill_version,
    config_hash: run.config_hash,
    funnel: await readFunnel(runFolder),
    rows: await keptRows(runFolder),
    ...(await rolloutUse(runFolder)),
    examples: await exampleEntries(runFolder, run),
    planted: await plantedRows(runFolder, run),
    balance: run.config.balance === undefined ? null : await readBalanceTable(runFolder),
    samples: await sampleTrajectories(runFolder, { profileOf, mask }),
    manifest,
    jobs: await trainingJobs(runFolder),
  };
}

/** The dataset's manifest; null before the dataset is finished. Throws `UserError` when it is damaged. */
export async function readManifest(runFolder: string): Promise<Manifest | null> {
  const path = datasetManifestPath(runFolder);
  const text = await readIfThere(path);
  if (text === undefined) return null;
  try {
    return parseStored(manifestSchema, text);
  } catch (error) {
    const why = (error as Error).message;
    throw new UserError(`${path}: damaged (${why}); make the dataset anew with --from export`, {
      cause: error,
    });
  }
}

/** Null where no embedded teacher played, and before every task has ended. */
async function plantedRows(runFolder: string, run: RunFile): Promise<PlantedRow[] | null> {
  const text = await readIfThere(plantedPath(runFolder));
  if (text === undefined || !(await isStageDone(runFolder, 'export'))) return null;
  const planted = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): PlantedRecord => plantedRecordSchema.parse(JSON.parse(line)));
  const fates = [];
  for await (const fate of taskEnds(runFolder)) fates.push(fate);
  const filters = filtersConfigSchema.safeParse(run.config.filters).data;
  const judge = judgeConfigSchema.safeParse(run.config.judge).data;
  const judges_instructions = judge?.instructions !== undefined;
  return plantedAgainstFound(planted, fates, { ...filters, judges_instructions });
}

async function exampleEntries(runFolder: string, run: RunFile): Promise<ReportData['examples']> {
  const examples: ReportData['examples'][number][] = [];
  for (const stage of stagesOfRun(run)) {
    const shown = new Map<string, number>();
    for await (const entry of readLedger(runFolder, stage)) {
      const kind = entry.kind === 'drop' ? entry.reason : entry.failure.cause;
      const count = shown.get(kind) ?? 0;
      shown.set(kind, count + 1);
      if (count < EXAMPLES_A_KIND) {
        examples.push({ stage, kind, task_id: entry.task_id, message: messageOf(entry) });
      }
    }
  }
  return examples;
}

function messageOf(entry: LedgerEntry): string {
  if (entry.kind === 'fail') return entry.failure.message;
  return JSON.stringify(entry.evidence).slice(0, MOST_EVIDENCE_CHARS);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
