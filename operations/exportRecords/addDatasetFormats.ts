import { join } from 'node:path';
import { onDisk } from '../../base/files/diskError.ts';
import { lockFolder } from '../../base/files/lockFolder.ts';
import { isJsonObject } from '../../base/json.ts';
import { packageVersion } from '../../base/packageVersion.ts';
import { UserError } from '../../base/userError.ts';
import type { DatasetWriter, PreferencePair } from '../../contract/datasetWriter.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { StageName } from '../../contract/stageTable.ts';
import type { Tokenizer } from '../../contract/tokenizer.ts';
import { createDatasetWriter, PASS_RATES_FILE } from '../../output/dataset/createDatasetWriter.ts';
import { formatTable } from '../../output/dataset/formatTable.ts';
import { restoreSetAside } from '../../output/dataset/partialFolder.ts';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import { profilesOfRun } from '../../pipeline/config/declaredProfiles.ts';
import { configOfRun } from '../../pipeline/config/parseConfig.ts';
import { isMadeBy, readDecisions } from '../../pipeline/run/reviewFile.ts';
import { noteAddedFormats, stageBeforeExport } from '../../pipeline/run/runFile.ts';
import { isStageDone } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readBalanceTable, readManifest } from '../../pipeline/run/wholeFiles.ts';
import { preferencePairs } from '../../pipeline/stages/preferencePairs.ts';
import { rlTasks } from '../../pipeline/stages/rlTasks.ts';
import { toolTags } from '../../schemas/coa/profile.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { type DatasetFormatName, datasetFormatNames } from '../../schemas/config/datasetFormatNames.ts';
import type { RlTasksConfig } from '../../schemas/config/rl.ts';
import { wantedCounts } from '../../schemas/config/target.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import type { PassRateLine } from '../../schemas/passRateLine.ts';
import type { RunFile } from '../../schemas/run/runFile.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { writePairs, writeTasks } from '../../stages/createExportStage.ts';
import { clusterTasks } from '../../stages/dedup/clusterTasks.ts';
import { passRateLines } from '../../stages/filter/passRates.ts';
import { exportedRecords } from '../exportedRecords.ts';
import { type FoundRun, findRun } from '../findRun.ts';
import { resumeCommandOf } from '../resumeCommandOf.ts';
import { verifyDataset } from './verifyDataset.ts';

/** The formats that a run's dataset is to have too. */
interface FormatsRequest {
  readonly runFolder: string;
  readonly formats: readonly DatasetFormatName[];
}

interface AddedFormats {
  /** Those of the request that were not there. */
  readonly added: readonly DatasetFormatName[];
  readonly folder: string;
  readonly manifest: Manifest;
}

/**
 * Adds formats to a finished dataset. The whole dataset is written again beside the old one, from the records of the
 * run, and takes its place only when every file that was there comes out with the same bytes.
 *
 * @throws UserError when the dataset is not finished, was edited, or can't be had in a format
 */
export async function addDatasetFormats(request: FormatsRequest): Promise<AddedFormats> {
  const unlock = await lockFolder(request.runFolder);
  try {
    // Before it was locked another process may have made it again.
    return await addLocked(await findRun(request.runFolder), request.formats);
  } finally {
    await unlock();
  }
}

async function addLocked(found: FoundRun, formats: readonly DatasetFormatName[]): Promise<AddedFormats> {
  const folder = join(found.folder, 'dataset');
  const before = await finishedDataset(found, folder);
  await verifyDataset(folder, before);
  const added = datasetFormatNames.filter((name) => formats.includes(name) && !before.formats.includes(name));
  if (added.length === 0) return { added, folder, manifest: before };
  const manifest = await rewrite(found, folder, before, added);
  await noteAddedFormats(found.folder, added);
  return { added, folder, manifest };
}

async function finishedDataset({ folder: runFolder, run }: FoundRun, folder: string): Promise<Manifest> {
  await onDisk(folder, () => restoreSetAside(folder));
  const manifest = (await isStageDone(runFolder, 'export')) ? await readManifest(runFolder) : null;
  if (manifest) return manifest;
  throw new UserError(`${runFolder} has no finished dataset; finish it with: ${resumeCommandOf(run)}`);
}

async function rewrite(
  { folder: runFolder, run }: FoundRun,
  folder: string,
  before: Manifest,
  added: readonly DatasetFormatName[],
): Promise<Manifest> {
  const { dataset, training, filters, target, rl, review, tasks } = configOfRun(run);
  const reviews = await readDecisions(runFolder, review, () => {});
  const formats = [...before.formats, ...added];
  // A rejected side has no row, whose reviews would stand with the run.
  if (formats.some((name) => formatTable[name].records === 'pair') && !isMadeBy(run, reviews))
    throw new UserError(
      `${run.name}: its records have been reviewed since its dataset was made; make it by these reviews first, with: ${resumeCommandOf(run)}`,
    );
  const tokenizer = await sameTokenizer(dataset.tokenizer, before);
  try {
    // Before anything is written: records that are damaged stop it.
    const clusters = dataset.validation_share > 0 ? await clustersOf(runFolder) : new Map<string, string>();
    const balance = run.config.balance === undefined ? null : await readBalanceTable(runFolder);
    const writer = await createDatasetWriter({
      folder,
      name: run.dataset_name,
      tokenizer,
      dataset: { ...dataset, formats },
      training,
      profileOf: profilesOfRun(run.config).profileOf,
      configHash: before.config_hash,
      version: packageVersion(),
      // As they stand there: an earlier version may have counted otherwise.
      passRates: before.rollouts ? await ratesOf(folder) : [],
      toolTags: toolTagsOf(tasks.sources, profilesOfRun(run.config)),
      ...(rl && { maxPromptTokens: rl.limits.max_prompt_tokens }),
      ...(balance && { balance }),
      ...(target && { target: wantedCounts(target) }),
      hasMarks: hasMarkedRows(run),
      // The card lists the formats; all else stays.
      unchanged: before.files.filter((file) => file.path !== 'README.md'),
    });
    const pairs = preferencePairs(
      {
        runFolder,
        preference: dataset.preference,
        filters,
        profileOf: profilesOfRun(run.config).profileOf,
        reviews,
      },
      new AbortController().signal,
    );
    return await writeRows({ writer, runFolder, added, clusters, pairs, rlTasksConfig: rl?.tasks });
  } finally {
    tokenizer.close();
  }
}

/** Whether the rows were made with segments that reviewers had marked. */
function hasMarkedRows({ shaping }: RunFile): boolean {
  const { review } = shaping;
  return isJsonObject(review) && review.marked_segments !== 0;
}

function toolTagsOf(sources: readonly { readonly profile: string }[], profiles: ProfileRegistry): string[] {
  const tags = sources.flatMap(({ profile }) => toolTags(profiles.profileOf(profile)!));
  return [...new Set(tags)];
}

async function sameTokenizer(file: string, { tokenizer: { name, sha256 } }: Manifest): Promise<Tokenizer> {
  const tokenizer = await loadTokenizer(file);
  if (tokenizer.sha256 === sha256) return tokenizer;
  tokenizer.close();
  throw new UserError(
    `dataset.tokenizer: ${file} is no longer the ${name} that the dataset was made with (SHA-256 ${sha256}); put that file back, or make the dataset again with coa-distill run and --from export`,
  );
}

/** Which tasks go together into a split: found among all that the export stage was given, as it found them. */
async function clustersOf(runFolder: string): Promise<ReadonlyMap<string, string>> {
  const given = stageRecords(runFolder, await stageBeforeExport(runFolder), trajectorySchema);
  async function* trajectories() {
    for await (const { record } of given) yield record;
  }
  return clusterTasks(trajectories(), runFolder, new AbortController().signal);
}

/** A dataset that is written again. */
interface Rewriting {
  readonly writer: DatasetWriter;
  readonly runFolder: string;
  readonly added: readonly DatasetFormatName[];
  /** The id of a task's cluster, where it is another's. */
  readonly clusters: ReadonlyMap<string, string>;
  readonly pairs: AsyncIterable<PreferencePair>;
  readonly rlTasksConfig: RlTasksConfig | undefined;
}

async function ratesOf(folder: string): Promise<PassRateLine[]> {
  const lines: PassRateLine[] = [];
  for await (const line of passRateLines(join(folder, PASS_RATES_FILE))) lines.push(line);
  return lines;
}

async function writeRows(rewriting: Rewriting): Promise<Manifest> {
  const { writer, runFolder, rlTasksConfig: config } = rewriting;
  const written = new Set<string>();
  let finished = false;
  try {
    for await (const { sample, record } of exportedRecords(runFolder, trajectorySchema)) {
      if (!record) throw lostRow(runFolder, sample.id, await stageBeforeExport(runFolder));
      await writeRow(record, rewriting);
      if (writer.takesTasks) written.add(record.task_id);
    }
    if (writer.takesPairs) await writePairs(writer, rewriting.pairs, rewriting.clusters);
    if (writer.takesTasks) {
      const { signal } = new AbortController();
      const tasks = rlTasks({ runFolder, config, log: () => {} }, (taskId) => written.has(taskId), signal);
      await writeTasks(writer, tasks, rewriting.clusters);
    }
    const manifest = await writer.finish();
    finished = true;
    return manifest;
  } finally {
    if (!finished) await writer.abort();
  }
}

function lostRow(runFolder: string, id: string, stage: StageName): UserError {
  return new UserError(
    `${runFolder}: the dataset has the row ${id}, which ${stage}/records.jsonl no longer has; restore that file, or make the dataset again with coa-distill run and --from export`,
  );
}

async function writeRow(trajectory: Trajectory, rewriting: Rewriting): Promise<void> {
  const problem = await rowProblem(trajectory, rewriting);
  if (problem === undefined) return;
  throw new UserError(
    `${trajectory.id}: this row of the dataset can't be had in ${rewriting.added.join(' and ')} (${problem}); the dataset is as it was`,
  );
}

async function rowProblem(
  trajectory: Trajectory,
  { writer, clusters }: Rewriting,
): Promise<string | undefined> {
  try {
    const { kind } = await writer.write(trajectory, clusters.get(trajectory.task_id));
    return kind === 'written' ? undefined : kind;
  } catch (error) {
    if (error instanceof RecordFailure) return error.message;
    throw error;
  }
}
