import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AtomicFile, moveIntoPlace } from '../../base/files/atomicFile.ts';
import { onDisk } from '../../base/files/diskError.ts';
import { makeFolder } from '../../base/files/makeFolder.ts';
import { temporaryName } from '../../base/files/temporaryName.ts';
import type { JsonObject } from '../../base/json.ts';
import { packageVersion } from '../../base/packageVersion.ts';
import { UserError } from '../../base/userError.ts';
import { type StageName, stageRow, stagesWhere } from '../../contract/stageTable.ts';
import type { ExportFormat } from '../../output/interchange/exportRun.ts';
import { exportTrace, exportTrajectory } from '../../output/interchange/renderExport.ts';
import { profilesOfRun } from '../../pipeline/config/declaredProfiles.ts';
import { readRunFile, stagesOfRun } from '../../pipeline/run/runFile.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { traceSchema } from '../../schemas/trace.ts';
import { trajectorySchema } from '../../schemas/trajectory.ts';

/** Stages with exportable records: traces, then trajectories. */
const exportableStages = stagesWhere(({ writes }) => writes === 'trace' || writes === 'trajectory');

interface ExportRequest {
  readonly runFolder: string;
  readonly format: ExportFormat;
  /** Default: the last complete stage, which in a complete run gives the kept records. */
  readonly stage?: StageName | undefined;
  /** New file, or new folder for `atif`. Default: `interchange/STAGE/` in the run's folder, which no stage clears. */
  readonly out?: string | undefined;
}

interface ExportResult {
  readonly stage: StageName;
  readonly records: number;
  readonly path: string;
}

/**
 * Writes a stage's records in another system's format: one document per file for `atif`, otherwise one record per line.
 *
 * @throws UserError if the stage is not complete or the output exists
 */
export async function exportRun(request: ExportRequest): Promise<ExportResult> {
  const { runFolder, format, out } = request;
  const stage = await stageOf(request);
  const path =
    out === undefined
      ? join(runFolder, 'interchange', stage, format === 'atif' ? 'atif' : `${format}.jsonl`)
      : resolve(out);
  if (out !== undefined && existsSync(path))
    throw new UserError(`--out: ${out} is there already; name another place`);
  await makeFolder(dirname(path));
  const documents = exported(runFolder, stage, format);
  const records =
    format === 'atif'
      ? await onDisk(path, () => replaceFolder(path, documents))
      : await replaceLines(path, documents);
  return { stage, records, path };
}

async function stageOf({ runFolder, stage }: ExportRequest): Promise<StageName> {
  const own = stagesOfRun(await readRunFile(runFolder));
  const candidates = stage === undefined ? exportableStages.filter((name) => own.includes(name)) : [stage];
  for (const candidate of candidates.toReversed()) {
    if ((await readStageFile(runFolder, candidate))?.complete) return candidate;
  }
  throw new UserError(
    `${runFolder}: the stage ${candidates[0] ?? 'rollout'} is not complete; finish it with coa-distill run`,
  );
}

interface ExportedDocument {
  readonly id: string;
  readonly document: JsonObject;
}

async function* exported(
  runFolder: string,
  stage: StageName,
  format: ExportFormat,
): AsyncGenerator<ExportedDocument> {
  const version = packageVersion();
  const run = await readRunFile(runFolder);
  const profiles = profilesOfRun(run?.config ?? {});
  if (stageRow(stage).writes === 'trace') {
    for await (const { record } of stageRecords(runFolder, stage, traceSchema)) {
      yield { id: record.id, document: exportTrace(record, profileOf(profiles, record), format, version) };
    }
    return;
  }
  for await (const { record } of stageRecords(runFolder, stage, trajectorySchema)) {
    yield { id: record.id, document: exportTrajectory(record, profileOf(profiles, record), format, version) };
  }
}

function profileOf(
  profiles: ProfileRegistry,
  { id, profile }: { readonly id: string; readonly profile: string },
): Profile {
  const found = profiles.profileOf(profile);
  if (found) return found;
  throw new UserError(`${id}: there is no profile ${profile}; was the run made by another version?`);
}

async function replaceLines(path: string, documents: AsyncIterable<ExportedDocument>): Promise<number> {
  const file = await AtomicFile.create(path);
  let records = 0;
  try {
    for await (const { document } of documents) {
      await file.write(`${JSON.stringify(document)}\n`);
      records++;
    }
    await file.commit();
  } finally {
    await file.discard();
  }
  return records;
}

async function replaceFolder(path: string, documents: AsyncIterable<ExportedDocument>): Promise<number> {
  const partial = await temporaryName(path);
  await mkdir(partial);
  let records = 0;
  try {
    for await (const { id, document } of documents) {
      await writeFile(join(partial, `${id}.json`), `${JSON.stringify(document, null, 2)}\n`, { flush: true });
      records++;
    }
    await rm(path, { recursive: true, force: true });
    await moveIntoPlace(partial, path);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return records;
}
