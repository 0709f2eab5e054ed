import { existsSync } from 'node:fs';
import { UserError } from '../../base/userError.ts';
import { HUB_PREFIX } from '../../calls/hub/hubAddress.ts';
import { chooseFormats } from '../../output/dataset/formatTable.ts';
import { tagRule } from '../../schemas/coa/profile.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { Config } from '../../schemas/config/config.ts';
import { teacherBackendOf } from '../../schemas/config/teacherBackends.ts';
import { checkBalance, checkFilters, checkProfileName } from './checkFilters.ts';
import { checkTools, checkToolsOfProfiles } from './checkTools.ts';
import type { ConfigDocument } from './configDocument.ts';
import { place } from './explainConfigIssue.ts';
import { suggestion } from './nearestName.ts';
import { configPaths } from './resolveConfigPaths.ts';

/**
 * Checks what a schema can't: that names are known, that files are there, that a profile's tools are configured.
 *
 * @throws UserError for the first thing that is wrong
 */
export function checkConfig(
  document: ConfigDocument,
  config: Config,
  profiles: ProfileRegistry,
  { callsTools }: { readonly callsTools: boolean },
): void {
  for (const [at, { profile }] of config.tasks.sources.entries())
    checkProfileName(document, ['tasks', 'sources', at, 'profile'], profile, profiles);
  checkFilters(document, config, profiles);
  checkBalance(document, config);
  for (const [at, name] of (config.judge.instructions?.profiles ?? []).entries())
    checkProfileName(document, ['judge', 'instructions', 'profiles', at], name, profiles);
  if (callsTools) checkToolsOfProfiles(document, config, profiles);
  checkTools(document, config, profiles);
  checkTeacher(document, config);
  checkMask(document, config, profiles);
  checkFormats(document, config);
  checkFiles(document, config);
}

function checkTeacher(document: ConfigDocument, { teacher }: Config): void {
  const { needs } = teacherBackendOf(teacher);
  if (needs && teacher[needs.key] === undefined) {
    throw new UserError(`${place(document, ['teacher', 'backend'])}: ${needs.why}; set teacher.${needs.key}`);
  }
}

/**
 * Checks the tags of `dataset.mask.tag_weights`: a misspelt one would weigh nothing, and the environment's words are
 * never trained. Tags of profiles that no task source names are let pass: an import may bring their rows.
 */
function checkMask(
  document: ConfigDocument,
  { dataset, tasks }: Config,
  { profiles, tags }: ProfileRegistry,
): void {
  for (const tag of Object.keys(dataset.mask.tag_weights)) {
    const where = place(document, ['dataset', 'mask', 'tag_weights', tag]);
    if (!tags.includes(tag)) {
      const inUse = profiles.filter(({ name }) => tasks.sources.some(({ profile }) => profile === name));
      const known = inUse.flatMap((profile) => profile.tags).filter(({ kind }) => kind !== 'observation');
      const names = [...new Set(known.map(({ tag }) => tag))];
      throw new UserError(`${where}: no profile has a tag "${tag}"; ${suggestion(tag, names)}`);
    }
    if (profiles.some((profile) => tagRule(profile, tag)?.kind === 'observation')) {
      throw new UserError(
        `${where}: <${tag}> is written by the environment, which is never trained; leave it out`,
      );
    }
  }
}

/**
 * Checks that the formats that are named can hold the rows that the other options make: better now than when the
 * teacher's work is done.
 */
function checkFormats(document: ConfigDocument, { dataset }: Config): void {
  try {
    chooseFormats(dataset);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const where = place(document, ['dataset', 'formats']);
    throw new UserError(error.message.replace('dataset.formats', () => where));
  }
}

function checkFiles(document: ConfigDocument, config: Config): void {
  for (const { keys, path } of configPaths(config)) {
    // What is on the hub is fetched once all else is right.
    if (path.startsWith(HUB_PREFIX) || existsSync(path)) continue;
    throw new UserError(`${place(document, keys)}: no such file: ${path}`);
  }
}
