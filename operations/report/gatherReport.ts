import { z } from 'zod';
import type { StageName } from '../../contract/stageTable.ts';
import { profilesOfRun } from '../../pipeline/config/declaredProfiles.ts';
import { readEvents } from '../../pipeline/run/eventLog.ts';
import { isSynthesis, stagesOfRun } from '../../pipeline/run/runFile.ts';
import { readRunSpending } from '../../pipeline/run/runSpending.ts';
import { StageInputs, stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { readBalanceTable, readManifest, readTargetFile } from '../../pipeline/run/wholeFiles.ts';
import { readWorkersFile } from '../../pipeline/workers/workersFile.ts';
import { maskConfigSchema } from '../../schemas/config/dataset.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { ReportData, TimedKept } from '../../schemas/report.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { type WorkersView, workersView } from '../../schemas/run/workersView.ts';
import { sampleSchema } from '../../schemas/sample.ts';
import { candidateSchema } from '../../synthesis/records/candidate.ts';
import { checkerText } from '../../synthesis/records/tasksetManifest.ts';
import { readChecker } from '../../synthesis/runFiles.ts';
import { synthesizeConfigSchema } from '../../synthesis/synthesizeConfig.ts';
import { readFunnel } from './funnel.ts';
import { keptRows, sampleTrajectories } from './keptRows.ts';
import { modelsOf } from './listedRuns.ts';
import { passGroups } from './passGroups.ts';
import { readGrounding } from './readGrounding.ts';
import { retriesByCause, roleUse, toolUse } from './rolloutUse.ts';

const calledSchema = z.object({
  at: z.iso.datetime(),
  event: z.literal('model_call'),
  task_id: z.string().optional(),
});
const MINUTE_MS = 60_000;

/**
 * Tasks by minute of their last call, with those in the dataset and their rows. Empty before the dataset exists.
 *
 * @throws UserError if records are damaged
 */
async function keptOverTime(runFolder: string): Promise<TimedKept[]> {
  const rows = new Map<string, number>();
  for await (const { record } of stageRecords(runFolder, 'export', sampleSchema))
    rows.set(record.task_id, (rows.get(record.task_id) ?? 0) + (record.repeats ?? 1));
  if (rows.size === 0) return [];
  const last = new Map<string, number>();
  for await (const { at, task_id } of readEvents(runFolder, '"event":"model_call"', calledSchema)) {
    if (task_id !== undefined) last.set(task_id, Math.floor(Date.parse(at) / MINUTE_MS) * MINUTE_MS);
  }
  const sums = { tasks: 0, kept_tasks: 0, kept_rows: 0 };
  return [...Map.groupBy(last, ([, minute]) => minute)]
    .sort(([a], [b]) => a - b)
    .map(([at_ms, ended]) => {
      for (const [id] of ended) {
        sums.tasks++;
        sums.kept_tasks += Number(rows.has(id));
        sums.kept_rows += rows.get(id) ?? 0;
      }
      return { at_ms, ...sums };
    });
}

/** Examples shown per kind of drop or failure. */
const EXAMPLES_A_KIND = 3;
/** Maximum characters of evidence shown. */
const MAX_EVIDENCE_CHARS = 300;

export async function gatherReport(runFolder: string, run: RunFile): Promise<ReportData> {
  const manifest = await readManifest(runFolder);
  const { profileOf } = profilesOfRun(run.config);
  const mask = manifest?.mask ?? maskConfigSchema.parse({});
  const rows = await keptRows(runFolder, { profileOf, mask });
  return {
    run: run.name,
    coa_distill_version: run.coa_distill_version,
    config_hash: run.config_hash,
    settings: run.config,
    models: modelsOf(run),
    duration_ms: await workedMs(runFolder),
    funnel: await readFunnel(runFolder),
    rows,
    spent: await readRunSpending(runFolder),
    roles: await roleUse(runFolder),
    tools: run.variant_of ? [] : await toolUse(runFolder),
    pass_groups: await passGroups(runFolder),
    over_time: run.variant_of ? [] : await keptOverTime(runFolder),
    retries: await retriesByCause(runFolder),
    examples: await exampleEntries(runFolder, run),
    checker: await checkerLine(runFolder, run),
    balance: run.config.balance === undefined ? null : await readBalanceTable(runFolder),
    samples: await sampleTrajectories(runFolder, rows, { profileOf, mask }),
    grounding: await readGrounding(runFolder),
    manifest,
    target: await readTargetFile(runFolder),
    workers: await readWorkers(runFolder),
  };
}

/** Measured quality of a synthesis's checker; null without one. */
async function checkerLine(runFolder: string, run: RunFile): Promise<string | null> {
  const work = isSynthesis(run) ? await readChecker(runFolder) : undefined;
  if (!work?.faults) return null;
  const { roles, model } = synthesizeConfigSchema.parse(run.config.synthesize);
  return checkerText(work, (roles.write ?? model).model);
}

async function readWorkers(runFolder: string): Promise<WorkersView | null> {
  const file = await readWorkersFile(runFolder);
  return file && workersView(file);
}

const sessionSchema = z.object({ at: z.iso.datetime(), event: z.enum(['run_started', 'run_ended']) });

/** Working time of a run's commands; intervals with a clock set back count as 0. */
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
    for (const [kind, entries] of await firstEntries(runFolder, stage))
      for (const entry of entries) {
        const message = isSynthesis(run) ? await readableEvidence(runFolder, stage, entry) : undefined;
        examples.push({
          stage,
          kind,
          task_id: entry.task_id,
          message: message?.slice(0, MAX_EVIDENCE_CHARS) ?? messageOf(entry),
        });
      }
  }
  return examples;
}

/** First entries of each kind in record order. */
async function firstEntries(runFolder: string, stage: StageName): Promise<[string, LedgerEntry[]][]> {
  const kinds = new Map<string, LedgerEntry[]>();
  for await (const entry of readLedger(runFolder, stage)) {
    const kind = entry.kind === 'drop' ? entry.reason : entry.failure.cause;
    const entries = [...(kinds.get(kind) ?? []), entry].sort((a, b) => a.index - b.index);
    kinds.set(kind, entries.slice(0, EXAMPLES_A_KIND));
  }
  return [...kinds].sort(([a], [b]) => (a < b ? -1 : 1));
}

const statedSchema = z
  .object({ subject: z.string(), relation: z.string(), value: z.string() })
  .transform(({ subject, relation, value }) => `${subject} · ${relation} · ${value}`);

/** Readable part of a synthesis's evidence: a question, an address, or a fact. */
const readableSchema = z.union([
  z.object({ question: z.string() }).transform(({ question }) => question),
  z
    .object({ address: z.string(), why: z.string().optional() })
    .transform(({ address, why }) => (why === undefined ? address : `${address}: ${why}`)),
  z.object({ chain: z.tuple([statedSchema], z.unknown()) }).transform(({ chain: [fact] }) => fact),
  statedSchema,
]);

async function readableEvidence(
  runFolder: string,
  stage: StageName,
  entry: LedgerEntry,
): Promise<string | undefined> {
  if (entry.kind !== 'drop') return undefined;
  if (stage !== 'choose') return readableSchema.safeParse(entry.evidence).data;
  // A drop of stage `choose` only mentions others or quotas; the question is in its input.
  await using candidates = await StageInputs.open(runFolder, 'check');
  return (await candidates.recordAt(candidateSchema, entry.index)).question;
}

function messageOf(entry: LedgerEntry): string {
  if (entry.kind === 'fail') return entry.failure.message;
  const parts = Object.entries(entry.evidence).map(
    ([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return parts.join(', ').slice(0, MAX_EVIDENCE_CHARS);
}
