import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { ifThere } from '../../base/files/diskError.ts';
import type { StageName } from '../../contract/stageTable.ts';
import { profilesOfRun } from '../../pipeline/config/declaredProfiles.ts';
import { readEvents } from '../../pipeline/run/eventLog.ts';
import { stagesOfRun } from '../../pipeline/run/runFile.ts';
import { isStageDone, plantedPath } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { readBalanceTable, readManifest, readTargetFile } from '../../pipeline/run/wholeFiles.ts';
import { readWorkersFile } from '../../pipeline/workers/workersFile.ts';
import { maskConfigSchema } from '../../schemas/config/dataset.ts';
import { filtersConfigSchema } from '../../schemas/config/filters.ts';
import { judgeConfigSchema } from '../../schemas/config/judge.ts';
import { mostRollouts, rolloutPlan } from '../../schemas/config/rollouts.ts';
import { teacherConfigSchema } from '../../schemas/config/teacher.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { PlantedRow, ReportData, ReportJob } from '../../schemas/report.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { type WorkersView, workersView } from '../../schemas/run/workersView.ts';
import { sampleSchema } from '../../schemas/sample.ts';
import { taskSchema } from '../../schemas/task.ts';
import { type PlantedRecord, plantedRecordSchema } from '../../schemas/teacherScript.ts';
import { NOT_BEGUN, plantedAgainstFound, type TaskEnd } from '../../stages/plantedAgainstFound.ts';
import { TrainingLog } from '../../training/follow/trainingLog.ts';
import { jobFolderOf, readJob, startedJobs } from '../../training/jobFolder.ts';
import { readFunnel } from './funnel.ts';
import { keptRows, sampleTrajectories } from './keptRows.ts';
import { modelsOf } from './listedRuns.ts';
import { retriesByCause, rolloutUse } from './rolloutUse.ts';

/** Entries shown of each kind of drop and failure at a stage. */
const EXAMPLES_A_KIND = 3;
/** How much evidence of a drop is shown. */
const MAX_EVIDENCE_CHARS = 300;

/** Everything that the summary and the report show of a run folder. */
export async function gatherReport(runFolder: string, run: RunFile): Promise<ReportData> {
  const manifest = await readManifest(runFolder);
  const { profileOf } = profilesOfRun(run.config);
  const mask = manifest?.mask ?? maskConfigSchema.parse({});
  const rows = await keptRows(runFolder);
  return {
    run: run.name,
    coa_distill_version: run.coa_distill_version,
    config_hash: run.config_hash,
    settings: run.config,
    models: modelsOf(run.config),
    duration_ms: await workedMs(runFolder),
    funnel: await readFunnel(runFolder),
    rows,
    ...(run.variant_of ? { roles: [], tools: [] } : await rolloutUse(runFolder)),
    retries: await retriesByCause(runFolder),
    examples: await exampleEntries(runFolder, run),
    planted: await plantedRows(runFolder, run),
    balance: run.config.balance === undefined ? null : await readBalanceTable(runFolder),
    samples: await sampleTrajectories(runFolder, rows, { profileOf, mask }),
    manifest,
    jobs: await trainingJobs(runFolder),
    target: await readTargetFile(runFolder),
    workers: await readWorkers(runFolder),
  };
}

async function readWorkers(runFolder: string): Promise<WorkersView | null> {
  const file = await readWorkersFile(runFolder);
  return file && workersView(file);
}

/**
 * Null where no embedded teacher played, also for a variant, before every task has ended, and where tasks had several
 * rollouts, each with flaws of its own.
 */
async function plantedRows(runFolder: string, run: RunFile): Promise<PlantedRow[] | null> {
  const teacher = teacherConfigSchema.safeParse(run.config.teacher).data;
  if (run.variant_of || (teacher && mostRollouts(rolloutPlan(teacher)) > 1)) return null;
  const text = await ifThere(readFile(plantedPath(runFolder), 'utf8'));
  if (text === undefined || !(await isStageDone(runFolder, 'export'))) return null;
  const planted = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): PlantedRecord => plantedRecordSchema.parse(JSON.parse(line)));
  const notBegun = { end: 'dropped', cause: NOT_BEGUN } as const;
  const unknown = (await readTargetFile(runFolder)) ? notBegun : undefined;
  const ends = [];
  for await (const end of taskEnds(runFolder, run, unknown)) ends.push(end);
  const filters = filtersConfigSchema.safeParse(run.config.filters).data;
  const judge = judgeConfigSchema.safeParse(run.config.judge).data;
  const judges_instructions = judge?.instructions !== undefined;
  return plantedAgainstFound(planted, ends, { ...filters, judges_instructions });
}

const sessionSchema = z.object({ at: z.iso.datetime(), event: z.enum(['run_started', 'run_ended']) });

/** How long the commands of a run worked; a stretch in which the clock was set back counts as none. */
export async function workedMs(runFolder: string): Promise<number | null> {
  let [startedMs, totalMs]: [number | undefined, number | null] = [undefined, null];
  for await (const { at, event } of readEvents(runFolder, '"event":"run_', sessionSchema)) {
    if (event === 'run_ended' && startedMs !== undefined)
      totalMs = (totalMs ?? 0) + Math.max(0, Date.parse(at) - startedMs);
    startedMs = event === 'run_started' ? Date.parse(at) : undefined;
  }
  return totalMs;
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
  return JSON.stringify(entry.evidence).slice(0, MAX_EVIDENCE_CHARS);
}

/** The run's jobs that were started, by name, with what their trainers logged so far. */
async function trainingJobs(runFolder: string): Promise<ReportJob[]> {
  const jobs: ReportJob[] = [];
  for (const name of await startedJobs(runFolder)) jobs.push(await trainingJob(runFolder, name));
  return jobs;
}

/** One job that was started, as far as it has come. Throws `UserError` when its record is damaged. */
export async function trainingJob(runFolder: string, name: string): Promise<ReportJob> {
  const folder = jobFolderOf(runFolder, name);
  const record = (await readJob(folder))!;
  return { record, curve: await new TrainingLog(folder, record).read() };
}

type End = Pick<TaskEnd, 'end' | 'cause'>;

/**
 * How every task that has ended did, duplicates included, in the order of the task files. Holds one entry a task:
 * it is asked for only where an embedded teacher played.
 *
 * @param unknown - How tasks did of which nothing is known; absent: they have not ended.
 */
async function* taskEnds(runFolder: string, run: RunFile, unknown: End | undefined): AsyncGenerator<TaskEnd> {
  // Duplicates have one id: the stage after the source tells them apart by their places, later ones meet one of each.
  const [source, unique, ...later] = stagesOfRun(run);
  const byPlace = new Map<number, End>();
  for await (const entry of readLedger(runFolder, unique!)) byPlace.set(entry.index, endOf(entry));
  const byTask = await endsByTask(runFolder, later);
  for await (const { index, record } of stageRecords(runFolder, source!, taskSchema)) {
    const { question, profile, id } = record;
    const end = byPlace.get(index) ?? byTask.get(id) ?? unknown;
    if (end) yield { question, profile, ...end };
  }
}

async function endsByTask(runFolder: string, stages: readonly StageName[]): Promise<Map<string, End>> {
  const ends = new Map<string, End>();
  for (const stage of stages) {
    for await (const entry of readLedger(runFolder, stage)) ends.set(entry.task_id, endOf(entry));
  }
  for await (const { record } of stageRecords(runFolder, stages.at(-1)!, sampleSchema)) {
    ends.set(record.task_id, { end: 'kept', cause: null });
  }
  return ends;
}

function endOf(entry: LedgerEntry): End {
  return entry.kind === 'drop'
    ? { end: 'dropped', cause: entry.reason }
    : { end: 'failed', cause: entry.failure.cause };
}
