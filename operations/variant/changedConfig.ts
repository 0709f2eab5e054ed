import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../base/json.ts';
import { ProblemList, UserError } from '../../base/userError.ts';
import { type StageName, stageRow, stagesWhere } from '../../contract/stageTable.ts';
import { checkBalance, checkFilters } from '../../pipeline/config/checkFilters.ts';
import { ConfigProblems } from '../../pipeline/config/configProblems.ts';
import { profilesOfRun } from '../../pipeline/config/declaredProfiles.ts';
import { explainIssues, valueAt } from '../../pipeline/config/explainIssues.ts';
import { configPaths, resolveConfigPaths } from '../../pipeline/config/resolveConfigPaths.ts';
import { setConfigValues } from '../../pipeline/config/setConfigValues.ts';
import { type Config, configKeys, tasklessConfigSchema } from '../../schemas/config/config.ts';
import { knownKeys, leafValues, nodeAt } from '../../schemas/config/keyTree.ts';
import { withPresets } from '../../schemas/config/playerPresets.ts';

/** Sections whose input files a refiltered run reads again. */
export const readSections: readonly unknown[] = ['filters', 'dataset'];

/**
 * Applies settings to a run's configuration, `filters.min_interactions.web=7` each. null removes a section, or a key
 * that can't be null; relative paths start at the working directory.
 *
 * @throws UserError for an unknown key, a key that affects more than decisions, an invalid value, and a missing file
 */
export function changedConfig(config: JsonObject, settings: readonly string[]): Config {
  const changed = withoutNulls(withPresets(setConfigValues(config, settings)) as JsonObject);
  const parsed = tasklessConfigSchema().safeParse(changed);
  if (parsed.success) {
    checkDecided(config, parsed.data, settings);
    checkNames(config, parsed.data);
    const resolved = resolveConfigPaths(parsed.data, process.cwd());
    checkFiles(resolved);
    return resolved;
  }
  const found = explainIssues(parsed.error.issues, changed);
  throw new ProblemList(
    found.map(({ keys, message, isUnknown }) => {
      const meant = isUnknown ? misplaced(keys, settings) : undefined;
      return `--set: ${keys.map(String).join('.')}: ${meant ? `unknown key; ${meant}` : message}`;
    }),
  );
}

/** Suggests the full path of a key in a group: `filters.complexity.min_interactions`. */
function misplaced([section]: readonly PropertyKey[], settings: readonly string[]): string | undefined {
  const known = knownKeys(nodeAt(configKeys, [section!]));
  const keys = settings.flatMap((setting) => setting.split('=')[0]!.split('.'));
  const meant = keys.find((key) => known.includes(key));
  return meant === undefined ? undefined : `did you mean "${String(section)}.${meant}"?`;
}

function checkNames(runConfig: JsonObject, config: Config): void {
  const problems = new ConfigProblems({ file: '--set', value: config, lineOf: () => undefined });
  checkFilters(problems, config, profilesOfRun(runConfig));
  checkBalance(problems, config);
  problems.throwIfAny();
}

/** Checks the files that refiltering reads; those of tasks and teachers may be missing. */
function checkFiles(config: Config): void {
  for (const { keys, path } of configPaths(config)) {
    if (!readSections.includes(keys[0]) || existsSync(path)) continue;
    throw new UserError(`--set: ${keys.join('.')}: no such file: ${path}`);
  }
}

/** Removes null values that are not allowed. */
function withoutNulls(config: JsonObject): JsonObject {
  const copy = structuredClone(config);
  for (const { path } of tasklessConfigSchema().safeParse(copy).error?.issues ?? []) {
    if (valueAt(copy, path) !== null) continue;
    delete (valueAt(copy, path.slice(0, -1)) as Record<PropertyKey, unknown>)[path.at(-1)!];
  }
  return copy;
}

/**
 * Rejects changed keys that affect more than decisions, since the output of other stages is reused. Keys without any
 * effect are rejected if set directly, but not if their section was replaced or removed.
 */
function checkDecided(before: JsonObject, after: Config, settings: readonly string[]): void {
  const set = new Set(settings.map((setting) => setting.split('=')[0]));
  const valuesOf = (config: unknown) =>
    new Map(leafValues(configKeys, config).map(({ keys, ...leaf }) => [keys.join('.'), leaf]));
  const [old, now] = [valuesOf(tasklessConfigSchema().safeParse(before).data), valuesOf(after)];
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const { meaning } = (now.get(key) ?? old.get(key))!;
    if (isDeepStrictEqual(old.get(key)?.value, now.get(key)?.value)) continue;
    const shaped = (meaning.shapes ?? []).map((name) => stageRow(name as StageName));
    if (shaped.length === 0 && !set.has(key)) continue;
    // Tasks are fixed; a narrower selection only drops some of them.
    if (
      shaped.some(({ decides }) => decides) &&
      shaped.every(({ decides, writes }) => decides || writes === 'task')
    )
      continue;
    throw new UserError(
      `--set: ${key} ${shaped.length > 0 ? `shapes the stage ${shaped.map(({ name }) => name).join(', ')}` : 'shapes no stage'}, and only what ${decidingStages.join(', ')} make can be made again from what a run found out. Change it in the configuration, and resume with coa-distill run`,
    );
  }
}

const decidingStages = stagesWhere(({ decides }) => decides);
