import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { HUB_PREFIX } from '../../calls/hub/hubAddress.ts';
import { toolTags } from '../../schemas/coa/profile.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import type { Config } from '../../schemas/config/config.ts';
import { teacherBackendOf } from '../../schemas/config/teacherBackends.ts';
import { toolNames } from '../../schemas/config/tools/toolNames.ts';
import { toolSection, toolSections } from '../../schemas/config/tools/toolSections.ts';
import { checkBalance } from './checkBalance.ts';
import { checkFilters } from './checkFilters.ts';
import { checkFormats } from './checkFormats.ts';
import { checkJudge } from './checkJudge.ts';
import { checkMask } from './checkMask.ts';
import { checkMcpTools } from './checkMcpTools.ts';
import { checkWebSearch } from './checkWebSearch.ts';
import type { ConfigDocument } from './configDocument.ts';
import { place } from './explainConfigIssue.ts';
import { suggestion } from './nearestName.ts';
import { configPaths } from './resolveConfigPaths.ts';

/** The tools that are called by a section of their own; a tag that yields may call any other without that section. */
function builtinToolsOf({ tools }: Pick<Config, 'tools'>): readonly string[] {
  return toolNames.filter((tool) => !toolSection(tool).yieldsTag || tools[tool] !== undefined);
}

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
  checkProfiles(document, config, profiles);
  checkFilters(document, config, profiles);
  checkBalance(document, config);
  checkJudge(document, config, profiles);
  if (callsTools) checkTools(document, config, profiles);
  checkWebSearch(document, config);
  checkCustomTools(document, config, profiles);
  checkMcpTools(document, config, profiles, builtinToolsOf(config));
  checkTeacher(document, config);
  checkMask(document, config, profiles);
  checkFormats(document, config);
  checkFiles(document, config);
}

function checkProfiles(document: ConfigDocument, config: Config, profiles: ProfileRegistry): void {
  const { names: known, profileOf } = profiles;
  config.tasks.sources.forEach(({ profile }, index) => {
    if (profileOf(profile)) return;
    const where = place(document, ['tasks', 'sources', index, 'profile']);
    throw new UserError(`${where}: unknown profile "${profile}"; ${suggestion(profile, known)}`);
  });
}

function checkTools(document: ConfigDocument, config: Config, { profileOf }: ProfileRegistry): void {
  const { tools, tasks } = config;
  const builtin = builtinToolsOf(config);
  const isMissing = (tool: string) =>
    builtin.includes(tool)
      ? !Object.hasOwn(tools, tool)
      : !Object.hasOwn(tools.custom, tool) && !Object.hasOwn(tools.mcp?.tools ?? {}, tool);
  tasks.sources.forEach(({ profile }, index) => {
    const missing = toolTags(profileOf(profile)!).find(isMissing);
    if (missing === undefined) return;
    const where = place(document, ['tasks', 'sources', index, 'profile']);
    throw new UserError(
      `${where}: profile ${profile} needs the tool ${missing}, which is not configured; add ${sectionsFor(missing)}`,
    );
  });
  config.profiles.forEach(({ name }, index) => {
    // Of a built-in one only the prompt is declared.
    if (builtinProfile(name)) return;
    const missing = toolTags(profileOf(name)!).find(isMissing);
    if (missing === undefined) return;
    const where = place(document, ['profiles', index, 'tags']);
    throw new UserError(`${where}: the tag ${missing} of ${name} has no tool; add ${sectionsFor(missing)}`);
  });
}

function sectionsFor(tool: string): string {
  return Object.hasOwn(toolSections, tool)
    ? `tools.${tool}`
    : `tools.custom.${tool} or tools.mcp.tools.${tool}`;
}

function checkCustomTools(document: ConfigDocument, { tools }: Config, { profiles }: ProfileRegistry): void {
  const builtin = builtinToolsOf({ tools });
  const known = profiles.flatMap(toolTags).filter((tag) => !builtin.includes(tag));
  for (const [tag, { input_schema }] of Object.entries(tools.custom)) {
    const where = place(document, ['tools', 'custom', tag]);
    if (builtin.includes(tag))
      throw new UserError(`${where}: ${tag} is built in; configure it as tools.${tag}`);
    if (!known.includes(tag))
      throw new UserError(`${where}: no profile has a tool ${tag}; ${suggestion(tag, [...new Set(known)])}`);
    const problem = input_schema && inputSchemaProblem(input_schema);
    if (problem)
      throw new UserError(`${place(document, ['tools', 'custom', tag, 'input_schema'])}: ${problem}`);
  }
}

function inputSchemaProblem(schema: JsonObject): string | undefined {
  if (schema.type !== 'object') return 'expected a JSON Schema of type object';
  try {
    z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
    return undefined;
  } catch (error) {
    return `not a JSON Schema that can be checked: ${(error as Error).message}`;
  }
}

function checkTeacher(document: ConfigDocument, { teacher }: Config): void {
  const { needs } = teacherBackendOf(teacher);
  if (needs && teacher[needs.key] === undefined) {
    throw new UserError(`${place(document, ['teacher', 'backend'])}: ${needs.why}; set teacher.${needs.key}`);
  }
}

function checkFiles(document: ConfigDocument, config: Config): void {
  for (const { keys, path } of configPaths(config)) {
    // What is on the hub is fetched once all else is right.
    if (path.startsWith(HUB_PREFIX) || existsSync(path)) continue;
    throw new UserError(`${place(document, keys)}: no such file: ${path}`);
  }
}
