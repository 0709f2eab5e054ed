import { chmod, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { replaceFile } from '../base/files/atomicFile.ts';
import { makeFolder } from '../base/files/makeFolder.ts';
import { parseJson } from '../base/json.ts';
import { packageFolder } from '../base/packageVersion.ts';
import { shellWord } from '../base/shellWord.ts';
import { UserError } from '../base/userError.ts';
import type { JobSize } from '../contract/launcher.ts';
import { databaseAddress, hasPassword } from '../pipeline/workers/database/databaseAddress.ts';
import type { SharedDatabase } from '../pipeline/workers/database/sharedDatabase.ts';
import type { TrainingConfig } from '../schemas/config/training.ts';
import { type LauncherName, launcherNames } from '../schemas/training/jobNames.ts';
import { jobHandleSchema } from '../schemas/training/jobRecord.ts';
import { readPodTemplate } from '../training/launchers/kubernetes/kubernetesManifest.ts';
import { launcherTable } from '../training/launchers/launcherTable.ts';
import { consoleFile, runScriptFile } from '../training/render/runScript.ts';

/** Handles of started workers, in their folder. */
const JOBS_FILE = 'jobs.json';

const jobsSchema = z.strictObject({
  launcher: z.enum(launcherNames),
  jobs: z.array(z.strictObject({ folder: z.string(), handle: jobHandleSchema })),
});
type Jobs = z.infer<typeof jobsSchema>;

export interface StartWorkersOptions {
  /** `postgres://...` without a password. */
  readonly database: string;
  readonly launcher: LauncherName;
  readonly count: number;
  readonly training: TrainingConfig;
  readonly folder: string;
  readonly clock: Clock;
}

/**
 * Starts workers that end with their run through a launcher: one job each, in Kubernetes a single indexed job with one
 * pod per worker.
 *
 * @throws UserError if the launcher does not support it, the address contains a password, or the folder already holds
 * workers
 */
export async function startWorkers(options: StartWorkersOptions): Promise<void> {
  const { database, launcher, count, training, clock } = options;
  const folder = resolve(options.folder);
  refusePassword(database);
  const row = launcherTable[launcher];
  if (row.startedOnEachMachine)
    throw new UserError(`--launcher ${launcher}: a person gives its command on each machine; take local`);
  row.refuse?.(training);
  await refuseUsed(folder);
  const podTemplate = await readPodTemplate(training.kubernetes.pod_template);
  const control = row.open(clock);
  // Clusters with images of their own share no folder with this machine.
  const jobs = row.hasOwnFiles ? [count] : Array.from({ length: count }, () => 1);
  const started: Jobs = { launcher, jobs: [] };
  for (const [n, nodes] of jobs.entries()) {
    const jobFolder = join(folder, String(n + 1));
    await makeFolder(jobFolder);
    const program = row.hasOwnFiles
      ? ['coa-distill']
      : [process.execPath, join(packageFolder(), 'bin/coa-distill.js')];
    const command = [...program, 'workers', 'join', database, '--once'];
    const size: JobSize = { nodes, gpus_per_node: 0, processes_per_node: 1 };
    const request = { training, podTemplate, run: 'workers', job: String(n + 1), jobFolder };
    const { files, start } = row.render(size, { ...request, ...(row.hasOwnFiles && { command }) });
    const script = { path: runScriptFile, text: runScript(command) };
    for (const { path, text } of [...files, script]) {
      await makeFolder(dirname(join(jobFolder, path)));
      await replaceFile(join(jobFolder, path), text);
    }
    await chmod(join(jobFolder, runScriptFile), 0o755);
    const handle = await control.start({ ...start, folder: jobFolder, consoleFile });
    started.jobs.push({ folder: jobFolder, handle });
    // Saved after each, so that a failure leaves no job that cannot be found again.
    await replaceFile(join(folder, JOBS_FILE), `${JSON.stringify(started, null, 2)}\n`);
  }
}

export interface StartedJob {
  readonly folder: string;
  readonly state: string;
}

/** States of a folder's jobs. Throws `UserError` if none were started. */
export async function jobsOf(folder: string, clock: Clock): Promise<StartedJob[]> {
  const { launcher, jobs } = await readJobs(folder);
  const states = [];
  for (const { folder: jobFolder, handle } of jobs) {
    const state = await launcherTable[launcher].open(clock).state(handle, jobFolder);
    const how = state.kind === 'queued' ? `queued (${state.reason})` : state.kind;
    states.push({ folder: jobFolder, state: state.kind === 'ended' ? `ended (${state.exitCode})` : how });
  }
  return states;
}

/** Ends the jobs of a folder, including queued ones: SIGTERM, then SIGKILL. */
export async function stopJobs(folder: string, clock: Clock): Promise<number> {
  const { launcher, jobs } = await readJobs(folder);
  const control = launcherTable[launcher].open(clock);
  await Promise.all(jobs.map(({ folder: jobFolder, handle }) => control.stop(handle, jobFolder)));
  return jobs.length;
}

async function readJobs(folder: string): Promise<Jobs> {
  const path = join(resolve(folder), JOBS_FILE);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) throw new UserError(`${path} is missing: no workers were started into this folder`);
  const parsed = jobsSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new UserError(`${path}: damaged; end the workers with your scheduler's own commands`);
}

async function refuseUsed(folder: string): Promise<void> {
  const text = await readFile(join(folder, JOBS_FILE), 'utf8').catch(() => undefined);
  if (text === undefined) return;
  throw new UserError(
    `${folder} holds workers that were started before; name another --folder, or remove it`,
  );
}

function refusePassword(database: string): void {
  if (!hasPassword(database)) return;
  throw new UserError(
    `${databaseAddress(database)}: the address would stand in the jobs' files with its password; put it into PGPASSWORD or ~/.pgpass on the workers' machines`,
  );
}

function runScript(command: readonly string[]): string {
  return `#!/usr/bin/env bash
# Works on the tasks of a run until it is over.
set -euo pipefail
cd -- "$(dirname -- "\${BASH_SOURCE[0]}")"
if [[ -n "\${CONSOLE_FILE:-}" ]]; then exec >> "$CONSOLE_FILE" 2>&1; fi
exec ${command.map(shellWord).join(' ')}
`;
}

/** Commands to workers: `drain` finishes calls in flight and returns other tasks, `stop` ends at once. */
export type WorkerCommand = 'drain' | 'stop';

/**
 * Sends workers a command, which they read when renewing their lease.
 *
 * @param name host and process, or a host; absent: all
 * @returns names of the addressed workers
 */
export async function commandWorkers(
  database: SharedDatabase,
  command: WorkerCommand,
  name?: string,
): Promise<string[]> {
  const sql = `UPDATE worker SET command = $1 WHERE NOT dead AND NOT is_coordinator
    AND ($2::text IS NULL OR name = $2 OR split_part(name, ':', 1) = $2) RETURNING name`;
  const told = await database.query<{ name: string }>(sql, [command, name ?? null]);
  return told.map((row) => row.name).sort();
}
