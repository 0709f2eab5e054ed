import { existsSync } from 'node:fs';
import { toolTags } from '../../schemas/coa/profile.ts';
import { builtinProfile, builtinProfileNames } from '../../schemas/coa/profiles/builtin.ts';
import type { Config } from '../../schemas/config/config.ts';
import { UserError } from '../contract/errors.ts';
import type { ConfigDocument } from './configDocument.ts';
import { place } from './explainConfigIssue.ts';
import { suggestion } from './nearestName.ts';
import { configPaths } from './resolveConfigPaths.ts';

/**
 * Checks what a schema can't: that names are known, that files are there, that a profile's tools are configured.
 *
 * @throws UserError for the first thing that is wrong
 */
export function checkConfig(document: ConfigDocument, config: Config): void {
  checkProfiles(document, config);
  checkTools(document, config);
  checkTeacher(document, config);
  checkFiles(document, config);
}

function checkProfiles(document: ConfigDocument, config: Config): void {
  const known = [...builtinProfileNames];
  config.tasks.sources.forEach(({ profile }, index) => {
    if (builtinProfile(profile)) return;
    const where = place(document, ['tasks', 'sources', index, 'profile']);
    throw new UserError(`${where}: unknown profile "${profile}"; ${suggestion(profile, known)}`);
  });
  for (const profile of Object.keys(config.filters.min_interactions)) {
    if (builtinProfile(profile)) continue;
    const where = place(document, ['filters', 'min_interactions', profile]);
    throw new UserError(`${where}: unknown profile "${profile}"; ${suggestion(profile, known)}`);
  }
}

function checkTools(document: ConfigDocument, config: Config): void {
  const { tools, tasks } = config;
  tasks.sources.forEach(({ profile }, index) => {
    const needed = toolTags(builtinProfile(profile)!);
    const missing = needed.find((tool) => !(tool in tools));
    if (missing === undefined) return;
    const where = place(document, ['tasks', 'sources', index, 'profile']);
    throw new UserError(
      `${where}: profile ${profile} needs the tool ${missing}, which is not configured; add tools.${missing}`,
    );
  });
  if (tools.web_search && !tools.web_search.base_url && !tools.site) {
    throw new UserError(
      `${place(document, ['tools', 'web_search'])}: no search service; set tools.web_search.base_url, or tools.site for pages of your own`,
    );
  }
}

function checkTeacher(document: ConfigDocument, { teacher }: Config): void {
  if (teacher.backend === 'scripted' && teacher.script === undefined) {
    throw new UserError(
      `${place(document, ['teacher', 'backend'])}: the scripted backend plays a script; set teacher.script`,
    );
  }
}

function checkFiles(document: ConfigDocument, config: Config): void {
  for (const { keys, path } of configPaths(config)) {
    if (existsSync(path)) continue;
    throw new UserError(`${place(document, keys)}: no such file: ${path}`);
  }
}
