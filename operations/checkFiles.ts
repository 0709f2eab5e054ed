import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../base/userError.ts';
import type { AuditFacts, DatasetAuditor } from '../contract/trainingGate.ts';
import { checkDataset, type DatasetCheck } from '../output/check/checkDataset.ts';
import { CheckTally } from '../output/check/checkTally.ts';
import {
  changedFiles,
  type DatasetPart,
  type DatasetParts,
  datasetParts,
  readRows,
} from '../output/check/datasetFiles.ts';
import type { CheckSettings } from '../output/check/rowFindings.ts';
import type { CheckTotals, Finding } from '../output/check/rules.ts';
import { openTokenText } from '../output/check/tokenText.ts';
import { profilesOfRun, readProfiles } from '../pipeline/config/declaredProfiles.ts';
import { configOfRun } from '../pipeline/config/parseConfig.ts';
import { readRunFile } from '../pipeline/run/runFile.ts';
import type { Profile } from '../schemas/coa/profile.ts';
import { BUNDLED_TOKENIZER, maskConfigSchema } from '../schemas/config/dataset.ts';
import { readAnswers } from '../schemas/rows/codecTable.ts';
import { isProblem, problemText } from '../schemas/rows/datasetRow.ts';
import { isUngrounded } from './isUngrounded.ts';

export interface CheckFilesOptions {
  /** Profile of all rows; default: each row's own, or the one matching its tags. */
  readonly profile?: string | undefined;
  /** Configuration with additional profiles; default: that of the run that contains the dataset. */
  readonly config?: string | undefined;
  /** `qwen2.5` or a `tokenizer.json`; default: the dataset's own, or `qwen2.5`. */
  readonly tokenizer?: string | undefined;
  /** Tag of tool outputs in rows of other tools; default: `observation`. */
  readonly observationTag?: string | undefined;
  /** Rows per file whose tokens are checked; default: all. */
  readonly sample?: number | undefined;
  readonly onFinding?: (finding: Finding) => void;
}

/**
 * Checks runs, dataset folders, files or folders of rows.
 *
 * @returns the totals; `errors` is 0 if nothing is wrong
 * @throws UserError without rows, or for options that contradict the dataset
 */
export async function checkFiles(
  paths: readonly string[],
  options: CheckFilesOptions = {},
): Promise<CheckTotals> {
  const tally = new CheckTally();
  for (const path of paths) await tallyFindings(await openCheck(path, options), tally, options.onFinding);
  return tally.totals;
}

async function tallyFindings(check: DatasetCheck, tally: CheckTally, onFinding?: (finding: Finding) => void) {
  for await (const { findings } of checkDataset(check, tally)) for (const each of findings) onFinding?.(each);
}

/** Opens a dataset for checking, with reasons for skipped files. Throws as {@link checkFiles}. */
export async function openCheck(
  given: string,
  options: Omit<CheckFilesOptions, 'onFinding'> = {},
): Promise<DatasetCheck & { readonly passedOver: readonly string[] }> {
  const { dataset, passedOver } = await readableParts(await datasetParts(datasetPath(given)));
  const settings = await checkSettingsOf(dataset, options);
  return { dataset, passedOver, settings, readRows, sample: options.sample ?? null };
}

/** Replaces a run by its dataset. */
function datasetPath(given: string): string {
  const folder = [given, join('runs', given)].find((place) => existsSync(join(place, 'run.json')));
  if (folder === undefined) return given;
  const dataset = join(folder, 'dataset');
  if (existsSync(dataset)) return dataset;
  throw new UserError(`${folder}: the run has no dataset yet; resume it with coa-distill run`);
}

/**
 * Skips foreign files that are empty or whose first row has no known layout.
 *
 * @throws UserError if none is left
 */
async function readableParts(dataset: DatasetParts) {
  if (dataset.own) return { dataset, passedOver: [] };
  const parts: DatasetPart[] = [];
  const passedOver: string[] = [];
  for (const part of dataset.parts) {
    const problem = await firstProblem(part).catch((error: unknown) => {
      if (error instanceof UserError) return error.message;
      throw error;
    });
    if (problem === undefined) parts.push(part);
    else passedOver.push(problem);
  }
  if (parts.length === 0) throw new UserError(`${passedOver[0]}; name a file of rows`);
  return { dataset: { ...dataset, parts }, passedOver };
}

async function firstProblem({ files, path }: DatasetPart): Promise<string | undefined> {
  for await (const row of readRows(files[0]!)) {
    // A broken first row says nothing about the others.
    if ('problem' in row) return undefined;
    const [read] = readAnswers(row.value);
    return read && isProblem(read) ? `${row.file} row 1: ${problemText(read)}` : undefined;
  }
  return `${path}: holds no rows`;
}

/**
 * Settings from the dataset's manifest, if any, and the profiles of its run.
 *
 * @throws UserError for another tokenizer than the dataset's, an unknown profile, or a tag that the dataset defines
 * itself
 */
export async function checkSettingsOf(
  { own }: DatasetParts,
  { tokenizer, observationTag, profile, config }: Omit<CheckFilesOptions, 'onFinding' | 'sample'> = {},
): Promise<CheckSettings> {
  if (own && observationTag !== undefined)
    throw new UserError(
      `--observation-tag ${observationTag}: ${own.folder} is a dataset of coa-distill, whose trajectories say what tools wrote; leave the option out`,
    );
  const run = own && (await readRunFile(join(own.folder, '..')));
  const named = (name: string, by: string) => ({ name, namedBy: `${by} ${name}` });
  const { name, namedBy } =
    tokenizer !== undefined
      ? named(tokenizer, '--tokenizer')
      : run
        ? named(configOfRun(run).dataset.tokenizer, `run.json of ${run.name}: dataset.tokenizer`)
        : named(own?.manifest.tokenizer.name ?? BUNDLED_TOKENIZER, "the dataset's tokenizer");
  const tokenText = await openTokenText(name, namedBy);
  if (own && tokenText.sha256 !== own.manifest.tokenizer.sha256)
    throw new UserError(
      `${namedBy}: its SHA-256 is ${tokenText.sha256}, the dataset was made with ${own.manifest.tokenizer.name} of ${own.manifest.tokenizer.sha256}; give the path of that tokenizer.json with --tokenizer`,
    );
  const ofRun = run ? profilesOfRun(run.config) : await readProfiles(undefined);
  const { profiles } = config === undefined ? ofRun : await readProfiles(config);
  return {
    tokenText,
    mask: own?.manifest.mask ?? maskConfigSchema.parse({}),
    cutoffLen: own?.manifest.cutoff_len ?? null,
    mayBeCut: (own?.manifest.cut_rows ?? 0) > 0,
    encodedApart: own?.manifest.segments_encoded === 'apart',
    own: own !== undefined,
    observationTag,
    profileOf: ofRun.profileOf,
    profiles,
    profile: profile === undefined ? undefined : profileNamed(profile, profiles),
    isUngrounded,
  };
}

function profileNamed(name: string, profiles: readonly Profile[]): Profile {
  const found = profiles.find((profile) => profile.name === name);
  if (found) return found;
  throw new UserError(`--profile ${name}: expected one of ${profiles.map((each) => each.name).join(', ')}`);
}

/** Check used by the gates of a job, for masks and files. */
export const checkForGate: DatasetAuditor = async (folder, manifest, tokenizer) => {
  const found: Finding[] = [];
  try {
    const check = await openCheck(folder, { tokenizer });
    const settings = { ...check.settings, profiles: undefined };
    await tallyFindings({ ...check, settings }, new CheckTally(), (finding) => found.push(finding));
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const all = found.filter(({ rule }) => rule !== 'file_changed');
    for await (const changed of changedFiles(folder, manifest)) all.push(changed);
    return { ...factsOf(all), problem: error.message };
  }
  return factsOf(found);
};

function factsOf(found: readonly Finding[]): AuditFacts {
  const changed = found.filter(({ rule }) => rule === 'file_changed');
  const faults = found.filter(({ rule }) => rule !== 'file_changed');
  const [first] = faults;
  return {
    problem: null,
    findings: faults.length,
    first: first ? `${first.file}${first.row === null ? '' : ` row ${first.row}`}: ${first.message}` : '',
    changedFiles: changed.map(({ file, message }) => `${file}: ${message}`),
  };
}
