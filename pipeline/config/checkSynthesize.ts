import { toolTags } from '../../schemas/coa/profile.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { Config } from '../../schemas/config/config.ts';
import { solvesWithTools } from '../../schemas/config/synthesize.ts';
import { checkProfileName } from './checkFilters.ts';
import { lackingTool } from './checkTools.ts';
import type { ConfigProblems } from './configProblems.ts';

/** Checks `synthesize`: its documents, its profile and the tools that tries with tools need. */
export function checkSynthesize(problems: ConfigProblems, config: Config, profiles: ProfileRegistry): void {
  const { synthesize } = config;
  if (!synthesize) return;
  const { corpus, profile } = synthesize;
  if (Object.values(corpus).every((path) => path === undefined))
    problems.add(['synthesize', 'corpus'], 'expected documents: set site, passages, pages or tasks');
  if (corpus.pages !== undefined && !config.tools.crawl_page)
    problems.add(['synthesize', 'corpus', 'pages'], 'expected tools.crawl_page, which reads the pages');
  checkProfileName(problems, ['synthesize', 'profile'], profile, profiles);
  const known = profiles.profileOf(profile);
  const lacking = known && solvesWithTools(synthesize) && lackingTool(toolTags(known), config);
  if (lacking) problems.add(['synthesize', 'profile'], `profile ${profile} ${lacking}`);
}
