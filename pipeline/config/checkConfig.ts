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
import { playsAlone } from '../../schemas/config/teacherBackends.ts';
import { checkBalance, checkFilters, checkProfileName } from './checkFilters.ts';
import { checkTools, checkToolsOfProfiles } from './checkTools.ts';
import type { ConfigProblems } from './configProblems.ts';
import { configPaths } from './resolveConfigPaths.ts';
import { taskMaking } from './taskMaking.ts';

/** Checks beyond the schema: names are known, and the tools of each profile are configured. */
export function checkConfig(
  problems: ConfigProblems,
  config: Config,
  profiles: ProfileRegistry,
  { callsTools }: { readonly callsTools: boolean },
): void {
  for (const [at, { profile }] of config.tasks.sources.entries())
    checkProfileName(problems, ['tasks', 'sources', at, 'profile'], profile, profiles);
  checkFilters(problems, config, profiles);
  checkBalance(problems, config);
  checkTarget(problems, config, profiles);
  if (prefersByJudge(config.select) && !config.judge.model)
    problems.add(['select', 'best_of', 'by'], 'judge asks a model; expected judge.model');
  for (const [at, name] of (config.judge.instructions?.profiles ?? []).entries())
    checkProfileName(problems, ['judge', 'instructions', 'profiles', at], name, profiles);
  if (callsTools) checkToolsOfProfiles(problems, config, profiles);
  checkTools(problems, config, profiles);
  taskMaking()?.check(problems, config, profiles);
  checkTeacher(problems, config);
  checkMaskTags(problems, config, profiles);
  checkFormats(problems, config);
}

/** Checks that a target is reachable: its profiles have tasks, and `balance` leaves enough rows. */
function checkTarget(problems: ConfigProblems, config: Config, profiles: ProfileRegistry): void {
  const { target, tasks, balance } = config;
  if (target?.rows === undefined) return;
  for (const profile of typeof target.rows === 'object' ? Object.keys(target.rows) : []) {
    const keys = ['target', 'rows', profile];
    checkProfileName(problems, keys, profile, profiles);
    // An imported run has rows in place of tasks.
    const hasTasks = tasks.sources.length === 0 || tasks.sources.some((source) => source.profile === profile);
    if (!hasTasks) problems.add(keys, 'no source of tasks has this profile, so there will be no row of it');
  }
  const rows = totalOf(wantedCounts(target).wanted);
  for (const [at, rule] of (balance?.rules ?? []).entries()) {
    if (rule.rule !== 'temperature' || rule.total === null || rule.total >= rows) continue;
    if (Object.keys(rule.where).length > 0) continue;
    const message = `${rule.total} leaves fewer rows than the ${rows} of target.rows; expected as many at least`;
    problems.add(['balance', 'rules', at, 'total'], message);
  }
}

function checkTeacher(problems: ConfigProblems, { teacher }: Config): void {
  if (teacher.backend === 'scripted' && teacher.script === undefined)
    problems.add(['teacher', 'backend'], 'the scripted backend plays a script; set teacher.script');
  if (teacher.on_wrong && playsAlone(teacher))
    problems.add(
      ['teacher', 'on_wrong'],
      `hint is refused with backend ${teacher.backend}: a model that plays alone is shown its rows and nothing else; leave it out`,
    );
  const { player } = teacher;
  const { lacks = [] } = player && playsAlone(teacher) ? completionServerOf(player) : {};
  for (const key of lacks) {
    if (teacher.model.sampling[key] !== undefined)
      problems.add(
        ['teacher', 'model', 'sampling', key],
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
 * Checks the tags of `dataset.mask.tag_weights`: a misspelt tag would have no effect, and environment tags are never
 * trained. Allows tags of profiles without a task source, since an import may bring their rows.
 */
function checkMaskTags(
  problems: ConfigProblems,
  { tasks, dataset }: Config,
  { profiles, tags }: ProfileRegistry,
): void {
  for (const tag of Object.keys(dataset.mask.tag_weights)) {
    const keys = ['dataset', 'mask', 'tag_weights', tag];
    if (!tags.includes(tag)) {
      const inUse = profiles.filter(({ name }) => tasks.sources.some(({ profile }) => profile === name));
      const known = inUse.flatMap((profile) => profile.tags).filter(({ kind }) => kind !== 'observation');
      const names = [...new Set(known.map((rule) => rule.tag))];
      problems.add(keys, `no profile has a tag "${tag}"; ${allowedNames(tag, names)}`);
    } else if (profiles.some((profile) => tagRule(profile, tag)?.kind === 'observation')) {
      problems.add(keys, `<${tag}> is written by the environment, which is never trained; leave it out`);
    }
  }
}

/** Checks that the formats can hold the configured rows, before the teacher is paid. */
function checkFormats(problems: ConfigProblems, { dataset }: Config): void {
  try {
    chooseFormats(dataset);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    problems.add(['dataset', 'formats'], error.message.replace(/^dataset\.formats: /, ''));
  }
}

/**
 * Checks that the files of a configuration exist.
 *
 * @param flags flag that gave the path in place of the configuration, by the dotted key
 */
export function checkFiles(
  problems: ConfigProblems,
  config: Config,
  flags: ReadonlyMap<string, string> = new Map(),
): void {
  for (const { keys, path, isPattern } of configPaths(config)) {
    // Files on the hub are fetched after all other checks pass.
    if (path.startsWith(HUB_PREFIX) || existsSync(path)) continue;
    const matched = isPattern ? matchedFiles(path) : undefined;
    if (matched && matched.length > 0) continue;
    const problem = matched ? `no file matches ${path}` : missingFile(keys, path);
    const flag = flags.get(keys.join('.'));
    if (flag === undefined) problems.add(keys, problem);
    else problems.addElsewhere(`${flag}: ${problem}`);
  }
}

/** Suggests a built-in name, since a path may also be one. */
function missingFile(keys: readonly (string | number)[], path: string): string {
  const { names = [] } = nodeAt(configKeys, keys)?.meaning ?? {};
  if (names.length === 0) return `no such file: ${path}`;
  return `no such file: ${path}; expected the path of one, or a name; ${allowedNames(basename(path), names)}`;
}
