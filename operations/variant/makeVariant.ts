import { existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { moveIntoPlace, replaceFile } from '../../base/files/atomicFile.ts';
import { ifThere, onDisk } from '../../base/files/diskError.ts';
import { lockFolder } from '../../base/files/lockFolder.ts';
import { contentId } from '../../base/ids.ts';
import { sealedFile } from '../../base/journal/sealed.ts';
import type { JsonObject } from '../../base/json.ts';
import { Resources } from '../../base/resources.ts';
import { UserError } from '../../base/userError.ts';
import { SessionCalls } from '../../calls/sessionCalls.ts';
import type { StageName } from '../../contract/stageTable.ts';
import type { Composition } from '../../pipeline/compose.ts';
import { type LoadedConfig, loadedOfRun } from '../../pipeline/config/loadConfig.ts';
import { redactedConfig } from '../../pipeline/config/resolveConfigPaths.ts';
import type { RunResult } from '../../pipeline/executeRun.ts';
import { openRun } from '../../pipeline/run/openRun.ts';
import { testsFolder } from '../../pipeline/run/openTestStore.ts';
import { readStageStates } from '../../pipeline/run/readStageStates.ts';
import { readRunFile, runFacts } from '../../pipeline/run/runFile.ts';
import { isStageDone } from '../../pipeline/run/stageFiles.ts';
import { StopSwitch } from '../../pipeline/run/stopSwitch.ts';
import { type ExecuteRunOptions, workSession } from '../../pipeline/workSession.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { ProbeConfig } from '../../schemas/config/probe.ts';
import { type RunFile, runFileSchema } from '../../schemas/run/runFile.ts';
import { copyReviews, withReviews } from '../../stages/review/reviewFile.ts';
import { resumeCommandOf } from '../resumeCommandOf.ts';
import { changedConfig } from './changedConfig.ts';
import { composeVariant, findingStages } from './composeVariant.ts';

interface VariantOptions extends Pick<ExecuteRunOptions, 'signal' | 'clock' | 'env' | 'observer' | 'log'> {
  readonly from: { readonly folder: string; readonly run: RunFile };
  /** `KEY=VALUE` each. */
  readonly set: readonly string[];
  /** Last stage to run. */
  readonly until?: StageName | undefined;
  /**
   * Name of the new run; default: an unfinished variant with the same settings, otherwise the first free name of
   * `NAME-2`, `NAME-3`, ...
   */
  readonly name?: string | undefined;
}

/**
 * Refilters the records of a run with other settings into a new run; the old one is unchanged. Calls no models or
 * tools. An interrupted variant is resumed on the next request.
 *
 * @throws UserError if the run is not completely judged, or the name belongs to another run
 */
export async function makeVariant(options: VariantOptions): Promise<RunResult> {
  const { from, set, ...working } = options;
  const { clock } = working;
  const config = changedConfig(from.run.config, set);
  refuseWiderProbe(from.run, config);
  const loaded = loadedOfRun(from.run, config);
  await using resources = new Resources();
  const { folder, composition, reviews } = await choosePlace(options, loaded, resources);
  const states = await readStageStates(from.folder, composition.stages, { until: working.until });
  const pending = states.find(({ stage, kind }) => findingStages.includes(stage) && kind !== 'done');
  if (pending)
    throw new UserError(
      `${from.run.name}: its stage ${pending.stage} is not finished, so there is nothing to decide over; finish it with: ${resumeCommandOf(from.run, from.folder)}`,
    );
  const run = variantFile(options, { config, composition, folder });
  await placeFolder(from.folder, folder, run);
  const halt = new StopSwitch({ drain: options.signal, signal: options.signal });
  const worked = await workSession({
    options: { ...working, loaded: { ...loaded, ...(reviews && { reviews }) }, name: run.name },
    composition,
    opened: await openRun(folder, run),
    stopSwitch: halt,
    calls: new SessionCalls(halt.drain, options.log),
    caps: { maxCostUsd: undefined, maxTokens: undefined },
  });
  return {
    folder,
    run: { ...run, created_at: new Date(clock.now()).toISOString() },
    wasComplete: worked === 0,
  };
}

/** Rejects a wider probe range: the additional tasks have no rollouts and would be missing silently. */
function refuseWiderProbe({ name, shaping }: RunFile, { probe }: Config): void {
  const made = (shaping.probe as { probe?: Partial<ProbeConfig> } | undefined)?.probe;
  if (!made || !probe) return;
  const { min: least = 0, max: most = 1 } = made.pass_rate ?? {};
  const { min = 0, max = 1 } = probe.pass_rate;
  if (min >= least && max <= most) return;
  throw new UserError(
    `--set: probe lets tasks through that it left out of ${name} (pass rates ${least} to ${most}), and nobody has solved them; change the configuration, and resume with coa-distill run`,
  );
}

/** Folder and stages of the variant, see {@link VariantOptions.name}. */
async function choosePlace(
  { from, set, name, log }: VariantOptions,
  loaded: LoadedConfig,
  resources: Resources,
): Promise<Pick<LoadedConfig, 'reviews'> & { readonly folder: string; readonly composition: Composition }> {
  const runs = dirname(from.folder);
  const composed = async (folder: string) => {
    // A variant starts with the reviews of its run, and has its own afterwards.
    const reviewed = existsSync(join(folder, 'run.json')) ? folder : from.folder;
    const own = await withReviews(loaded, reviewed, log);
    const composition = await composeVariant(from.run, own, folder, resources);
    return { folder, composition, ...(own.reviews && { reviews: own.reviews }) };
  };
  if (name !== undefined) return composed(join(runs, name));
  for (let number = 2; ; number++) {
    const folder = join(runs, `${from.run.name}-${number}`);
    if (!existsSync(folder)) return composed(folder);
    const cutOff = await readCutOff(folder, { run: from.run.name, set: [...set] });
    if (!cutOff) continue;
    const place = await composed(folder);
    // A file named by a setting may have changed since.
    if (settingsHash(cutOff.shaping) === settingsHash(place.composition.shaping)) return place;
  }
}

/** Content id of a variant's settings, without reviews, which may have changed since. */
function settingsHash({ review: _, ...settings }: JsonObject): string {
  return contentId('config', settings);
}

/** Run file of the same variant, if a folder contains it without a finished dataset. */
async function readCutOff(folder: string, variant: RunFile['variant_of']): Promise<RunFile | undefined> {
  const run = await readRunFile(folder);
  const isSame = isDeepStrictEqual(run?.variant_of, variant) && !(await isStageDone(folder, 'export'));
  return isSame ? run : undefined;
}

function variantFile(
  { from, set, clock }: VariantOptions,
  made: { readonly config: Config; readonly composition: Composition; readonly folder: string },
): RunFile {
  const { shaping, hashes } = made.composition;
  // Drops fields of the old run: formats added to its dataset, and its spending.
  const { added_formats: _formats, spent: _spent, ...run } = from.run;
  return runFileSchema.parse({
    ...run,
    name: basename(made.folder),
    dataset_name: made.config.name ?? from.run.dataset_name,
    ...runFacts(clock),
    config: redactedConfig(made.config),
    shaping,
    config_hash: hashes.config,
    stage_hashes: Object.fromEntries(hashes.stages),
    variant_of: { run: from.run.name, set },
  });
}

/** Creates the folder with all reused stages atomically. */
async function placeFolder(from: string, folder: string, run: RunFile): Promise<void> {
  const existing = await readRunFile(folder);
  if (existing?.variant_of && settingsHash(existing.shaping) === settingsHash(run.shaping)) return;
  if (existing || existsSync(folder))
    throw new UserError(`${folder} is there already, made with other settings; choose another --name`);
  const partial = `${folder}.partial`;
  const unlock = await lockFolder(from);
  try {
    await onDisk(folder, async () => {
      await rm(partial, { recursive: true, force: true });
      await mkdir(partial, { recursive: true });
      await linkStages(from, partial, findingStages);
      await copyReviews(from, partial);
      await replaceFile(join(partial, 'run.json'), sealedFile(run));
      await moveIntoPlace(partial, folder);
    });
  } finally {
    await unlock();
  }
}

/**
 * Puts finished stages into another run folder, using hard links if supported. A run copies a file before writing to
 * it, see `unshare`.
 */
export async function linkStages(from: string, to: string, stages: readonly StageName[]): Promise<void> {
  for (const stage of stages) await placeFiles(join(from, stage), join(to, stage));
  await placeFiles(testsFolder(from), testsFolder(to));
}

async function placeFiles(from: string, to: string): Promise<void> {
  const names = await filesOf(from);
  if (names.length > 0) await mkdir(to, { recursive: true });
  for (const name of names) await linkOrCopy(join(from, name), join(to, name));
}

/** File names in a folder; empty if it does not exist. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = (await ifThere(readdir(folder, { withFileTypes: true }))) ?? [];
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    // Hard links are not supported, or a file has too many.
    await copyFile(from, to);
  }
}
