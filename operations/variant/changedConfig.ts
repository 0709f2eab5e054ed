import { existsSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { suggestion } from '../../base/nearestName.ts';
import { ProblemList, UserError } from '../../base/userError.ts';
import { checkBalance, checkFilters } from '../../pipeline/config/checkFilters.ts';
import { ConfigProblems } from '../../pipeline/config/configProblems.ts';
import { profilesOfRun } from '../../pipeline/config/declaredProfiles.ts';
import { explainIssues } from '../../pipeline/config/explainIssues.ts';
import { configPaths, resolveConfigPaths } from '../../pipeline/config/resolveConfigPaths.ts';
import { setConfigValues } from '../../pipeline/config/setConfigValues.ts';
import { type Config, configKeys, configSchema } from '../../schemas/config/config.ts';
import { withFilterPreset } from '../../schemas/config/filterPresets.ts';
import { knownKeys, nodeAt } from '../../schemas/config/keyTree.ts';

/** Settings that shape nothing but decisions: these and everything below them. */
const decidingSettings = ['filters', 'select', 'balance', 'dedup.trajectories'] as const;

/** A setting below those that decides which questions a model is asked. */
const askingSetting = 'filters.duplicate_questions';

/** Sections whose files are read again by a run that decides again. */
export const readSections: readonly unknown[] = ['filters', 'dataset'];

/** Keys of `filters` for which null is a value; of the others it takes the key out. */
const nullableFilters: readonly string[] = ['max_redundant_tool_inputs', 'tool_input_similarity'];

/**
 * A run's configuration with some settings changed, `filters.min_interactions.web=7` each. null takes a section out;
 * relative paths start at the working directory.
 *
 * @throws UserError for a key that is not known, that shapes more than decisions, or that can't have the value, and
 * for a file that is not there
 */
export function changedConfig(config: JsonObject, settings: readonly string[]): Config {
  for (const setting of settings) refuseOtherSections(setting);
  const changed = withoutNulls(withFilterPreset(setConfigValues(config, settings)) as JsonObject);
  const parsed = configSchema.safeParse(changed);
  if (parsed.success) {
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

/** A key that stands in its section, where the setting has a group around it: `filters.complexity.min_interactions`. */
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

/** Files that are read when a run is decided again; those of tasks and teachers need not be there any more. */
function checkFiles(config: Config): void {
  for (const { keys, path } of configPaths(config)) {
    if (!readSections.includes(keys[0]) || existsSync(path)) continue;
    throw new UserError(`--set: ${keys.join('.')}: no such file: ${path}`);
  }
}

function withoutNulls(config: JsonObject): JsonObject {
  const filters = isJsonObject(config.filters) ? config.filters : {};
  const kept = Object.entries(filters).filter(
    ([key, value]) => value !== null || nullableFilters.includes(key),
  );
  const sections = Object.entries(config).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(sections), filters: Object.fromEntries(kept) };
}

function refuseOtherSections(setting: string): void {
  const key = setting.split('=')[0]!.trim();
  const section = key.split('.')[0]!;
  const isBelow = (prefix: string) => key === prefix || key.startsWith(`${prefix}.`);
  if (decidingSettings.some(isBelow) && !isBelow(askingSetting)) return;
  const known = knownKeys(configKeys);
  if (!known.includes(section))
    throw new UserError(
      `--set ${setting}: ${section}: unknown key; ${suggestion(section, decidingSettings)}`,
    );
  throw new UserError(
    `--set ${setting}: ${key} shapes what models are asked, or what rows look like; settings of ${decidingSettings.join(', ')} can be decided again. Change it in the configuration, and resume with coa-distill run`,
  );
}
