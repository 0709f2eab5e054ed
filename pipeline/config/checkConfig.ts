import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { allowedNames } from '../../base/nearestName.ts';
import { matchedFiles } from '../../base/rows/rowFilesAt.ts';
import { totalOf } from '../../base/sum.ts';
import { UserError } from '../../base/userError.ts';
import { HUB_PREFIX } from '../../calls/hub/hubAddress.ts';
import { chooseFormats } from '../../output/dataset/formatTable.ts';
import { tagRule } from '../../schemas/coa/profile.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { type Config, configKeys } from '../../schemas/config/config.ts';
import { nodeAt } from '../../schemas/config/keyTree.ts';
import { completionServerOf } from '../../schemas/config/player.ts';
import { prefersByJudge } from '../../schemas/config/select.ts';
import { wantedCounts } from '../../schemas/config/target.ts';
import { playsAlone, teacherBackendOf } from '../../schemas/config/teacherBackends.ts';
import { checkBalance, checkEach, checkFilters, checkProfileName } from './checkFilters.ts';
import { checkTools, checkToolsOfProfiles } from './checkTools.ts';
import type { ConfigProblems } from './configProblems.ts';
import { configPaths } from './resolveConfigPaths.ts';

/**
 * Checks what a schema can't: that names are known, and that a profile's tools are configured. What reads a key that is
 * wrong by itself is left out.
 */
export function checkConfig(
  problems: ConfigProblems,
  config: Config,
  profiles: ProfileRegistry,
  { callsTools }: { readonly callsTools: boolean },
): void {
  checkEach(
    problems,
    () => config.tasks.sources,
    ({ profile }, at) => checkProfileName(problems, ['tasks', 'sources', at, 'profile'], profile, profiles),
  );
  checkFilters(problems, config, profiles);
  checkBalance(problems, config);
  checkTarget(problems, config, profiles);
  problems.check(() => checkPreference(config), ['select', 'best_of', 'by']);
  checkEach(
    problems,
    () => config.judge.instructions?.profiles,
    (name, at) => checkProfileName(problems, ['judge', 'instructions', 'profiles', at], name, profiles),
  );
  if (callsTools) checkToolsOfProfiles(problems, config, profiles);
  const isWhole = !problems.concerns(['profiles']);
  checkTools(problems, config, profiles, isWhole);
  problems.check(() => checkTeacher(problems, config));
  checkEach(
    problems,
    () => Object.keys(config.dataset.mask.tag_weights),
    (tag) => checkMaskTag(problems, tag, config, profiles, isWhole),
  );
  problems.check(() => checkFormats(config), ['dataset', 'formats']);
}

function checkPreference({ select, judge }: Config): void {
  if (prefersByJudge(select) && !judge.model)
    throw new UserError('judge asks a model; expected judge.model.model to name it');
}

/** Checks that a target can be reached: its profiles have tasks, and `balance` leaves as many rows. */
function checkTarget(problems: ConfigProblems, config: Config, profiles: ProfileRegistry): void {
  checkEach(
    problems,
    () => (typeof config.target?.rows === 'object' ? Object.keys(config.target.rows) : []),
    (profile) => {
      const keys = ['target', 'rows', profile];
      checkProfileName(problems, keys, profile, profiles);
      const { sources } = config.tasks;
      // An imported run has no tasks, but rows.
      const hasTasks = sources.length === 0 || sources.some((source) => source.profile === profile);
      if (profiles.profileOf(profile) && !hasTasks)
        problems.add(keys, 'no source of tasks has this profile, so there will be no row of it');
    },
  );
  checkEach(
    problems,
    () => (config.target?.rows === undefined ? [] : config.balance?.rules),
    (rule, at) => {
      const { wanted } = wantedCounts(config.target!);
      const rows = totalOf(wanted);
      if (rule.rule !== 'temperature' || rule.total === null || rule.total >= rows) return;
      if (Object.keys(rule.where).length > 0) return;
      problems.add(
        ['balance', 'rules', at, 'total'],
        `${rule.total} leaves fewer rows than the ${rows} of target.rows; expected as many at least`,
      );
    },
  );
}

function checkTeacher(problems: ConfigProblems, { teacher }: Config): void {
  const { needs } = teacherBackendOf(teacher);
  if (needs && teacher[needs.key] === undefined)
    problems.add(['teacher', 'backend'], `${needs.why}; set teacher.${needs.key}`);
  if (teacher.on_wrong && playsAlone(teacher))
    problems.add(
      ['teacher', 'on_wrong'],
      `hint is refused with backend ${teacher.backend}: a model that plays alone is shown its rows and nothing else; leave it out`,
    );
  const { player } = teacher;
  const { lacks = [] } = player && playsAlone(teacher) ? completionServerOf(player) : {};
  for (const key of lacks) {
    if (teacher.sampling[key] !== undefined)
      problems.add(
        ['teacher', 'sampling', key],
        `a server "${player!.server}" takes none in a request; leave it out, or serve the model with vLLM (player.server: vllm)`,
      );
  }
  if (player?.api === 'chat' && !completionServerOf(player).continuesTurn) {
    problems.add(
      ['teacher', 'player', 'api'],
      `chat is refused: no way is known in which a server "${player.server}" continues a turn, it would close it and open another, which the model never saw in training; expected completions, or server vllm`,
    );
  }
}

/**
 * Checks a tag of `dataset.mask.tag_weights`: a misspelt one would weigh nothing, and the environment's words are
 * never trained. Tags of profiles that no task source names are let pass: an import may bring their rows.
 */
function checkMaskTag(
  problems: ConfigProblems,
  tag: string,
  { tasks }: Config,
  { profiles, tags }: ProfileRegistry,
  isWhole: boolean,
): void {
  const keys = ['dataset', 'mask', 'tag_weights', tag];
  if (!tags.includes(tag)) {
    if (!isWhole) return;
    const inUse = profiles.filter(({ name }) => tasks.sources.some(({ profile }) => profile === name));
    const known = inUse.flatMap((profile) => profile.tags).filter(({ kind }) => kind !== 'observation');
    const names = [...new Set(known.map((rule) => rule.tag))];
    problems.add(keys, `no profile has a tag "${tag}"; ${allowedNames(tag, names)}`);
  } else if (profiles.some((profile) => tagRule(profile, tag)?.kind === 'observation')) {
    problems.add(keys, `<${tag}> is written by the environment, which is never trained; leave it out`);
  }
}

/**
 * Checks that the formats that are named can hold the rows that the other options make: better now than when the
 * teacher's work is done.
 */
function checkFormats({ dataset }: Config): void {
  try {
    chooseFormats(dataset);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(error.message.replace(/^dataset\.formats: /, ''));
  }
}

/**
 * Checks that the files are there that a configuration names.
 *
 * @param flags flag that gave the path in place of the configuration, by the dotted key
 */
export function checkFiles(
  problems: ConfigProblems,
  config: Config,
  flags: ReadonlyMap<string, string> = new Map(),
): void {
  for (const { keys, path, isPattern } of configPaths(config)) {
    // What is on the hub is fetched once all else is right.
    if (path.startsWith(HUB_PREFIX) || existsSync(path)) continue;
    const matched = isPattern ? matchedFiles(path) : undefined;
    if (matched && matched.length > 0) continue;
    const problem = matched ? `no file matches ${path}` : missingFile(keys, path);
    const flag = flags.get(keys.join('.'));
    if (flag !== undefined) problems.addElsewhere(`${flag}: ${problem}`);
    else if (!problems.concerns(keys)) problems.add(keys, problem);
  }
}

/** A path may also be the name of something that comes with the program. */
function missingFile(keys: readonly (string | number)[], path: string): string {
  const { names = [] } = nodeAt(configKeys, keys)?.meaning ?? {};
  if (names.length === 0) return `no such file: ${path}`;
  return `no such file: ${path}; expected the path of one, or a name; ${allowedNames(basename(path), names)}`;
}
