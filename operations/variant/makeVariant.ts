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
  /** Stops after this stage. */
  readonly until?: StageName | undefined;
  /**
   * Name of the new run; absent: that of a variant with the same settings that is not finished, else the first free
   * one of `NAME-2`, `NAME-3`, ...
   */
  readonly name?: string | undefined;
}

/**
 * Decides again over the records of a run by other settings, into a run of its own: the old one stays as it is, with
 * its dataset. No model and no tool is asked. A variant that was cut off is resumed when it is asked for again.
 *
 * @throws UserError when the run is not judged to the end, or the name is taken by another run
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

/** Tasks that the probe left out have no rollouts: a wider range would miss them, and nobody would be told. */
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

/** The folder of the variant and its stages, see {@link VariantOptions.name}. */
async function choosePlace(
  { from, set, name, log }: VariantOptions,
  loaded: LoadedConfig,
  resources: Resources,
): Promise<Pick<LoadedConfig, 'reviews'> & { readonly folder: string; readonly composition: Composition }> {
  const runs = dirname(from.folder);
  const composed = async (folder: string) => {
    // A variant begins with the reviews of its run, and has its own from then on.
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
    // A file that a setting names may have changed since.
    if (settingsHash(cutOff.shaping) === settingsHash(place.composition.shaping)) return place;
  }
}

/** Content id of what shapes a variant, its reviews left out: they may have changed since. */
function settingsHash({ review: _, ...settings }: JsonObject): string {
  return contentId('config', settings);
}

/** The run file of the same variant, if a folder holds it without its dataset yet. */
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
  // Formats that were added to the other dataset: this one has those that its settings ask for. It has paid for nothing.
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

/** Makes the folder with all that is taken over, as a whole: there is never a run that lacks some of it. */
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
 * Puts the files of finished stages into another run folder, without their bytes being written again where the file
 * system has hard links. A run that goes on to write to one makes its own copy first, see `unshare`.
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

/** Names of the files in a folder; none where there is no folder. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = (await ifThere(readdir(folder, { withFileTypes: true }))) ?? [];
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    // No hard links here, or too many of one file.
    await copyFile(from, to);
  }
}
