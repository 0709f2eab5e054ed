import { contentId } from '../base/ids.ts';
import type { JsonObject } from '../base/json.ts';
import { type StageName, synthesisStageNames } from '../contract/stageTable.ts';
import { checkProfileName } from '../pipeline/config/checkFilters.ts';
import { lackingTool } from '../pipeline/config/checkTools.ts';
import type { ConfigProblems } from '../pipeline/config/configProblems.ts';
import { registerTaskMaking } from '../pipeline/config/taskMaking.ts';
import { toolTags } from '../schemas/coa/profile.ts';
import type { ProfileRegistry } from '../schemas/coa/profileRegistry.ts';
import type { Config } from '../schemas/config/config.ts';
import type { SectionModel } from '../schemas/config/resolved/sectionModel.ts';
import { synthesisRoles } from '../schemas/taskSynthesis.ts';
import { fingerprintOfTools } from '../tools/toolTable.ts';
import { synthesisPrompts } from './models/createSynthesisRoles.ts';
import { solvesWithTools, synthesisModel } from './synthesizeConfig.ts';

/** Checks `synthesize`: its documents, its profile, and the tools for tries with tools. */
function checkSection(problems: ConfigProblems, config: Config, profiles: ProfileRegistry): void {
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

/** Tasks are tried with the tools of a rollout, and answers are compared as in a judge. */
function shapingOf(config: Config, part: (stage: StageName) => Partial<Config>) {
  const { seed, name, filters, decontaminate } = config;
  const { corpus } = config.synthesize!;
  const asked = { prompts: contentId('config', synthesisPrompts) };
  const tools = fingerprintOfTools(part('rollout').tools!, config.tools);
  const solving = { ...asked, seed, tools, judged: part('judge') };
  const { crawl_page, site } = tools as JsonObject;
  const more: Partial<Record<StageName, object>> = {
    ...((corpus.pages ?? corpus.tasks) !== undefined && { documents: { tools: { crawl_page, site } } }),
    facts: { ...asked, seed },
    seeds: { seed },
    grow: solving,
    check: solving,
    choose: {
      seed,
      duplicate_questions: filters.duplicate_questions,
      decontaminate,
    },
    write: { name },
  };
  return Object.fromEntries(synthesisStageNames.map((stage) => [stage, { ...part(stage), ...more[stage] }]));
}

/** Models of all roles, except embedded ones with their own endpoint. */
function askedModels(config: Config): SectionModel[] {
  if (config.synthesize?.backend !== 'openai') return [];
  return synthesisRoles.map((role) => synthesisModel(config, role));
}

registerTaskMaking({
  section: 'synthesize',
  check: checkSection,
  profileOf: (config) => config.synthesize!.profile,
  askedModels,
  shapingOf,
});
