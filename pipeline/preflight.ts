import { addressWithoutSecrets } from '../base/addressWithoutSecrets.ts';
import type { OwnModule } from '../base/programs/ownModule.ts';
import { ProblemList, UserError } from '../base/userError.ts';
import { loadTokenizer } from '../output/tokenizers/loadTokenizer.ts';
import type { Config } from '../schemas/config/config.ts';
import { asksJudgeModel, membersOf, runAsksJudgeModel } from '../schemas/config/resolved/endpoints.ts';
import {
  apiKeyOf,
  type ModelSection,
  type SectionModel,
  sectionModel,
  teacherModels,
} from '../schemas/config/resolved/sectionModel.ts';
import { askedToolModels } from '../schemas/config/resolved/toolModels.ts';
import { asksEndpoint } from '../schemas/config/teacherBackends.ts';
import { wantedRows } from '../tools/toolTable.ts';
import { checkModule, ownJudge, ownRules } from './compose/ownModules.ts';
import type { LoadedConfig } from './config/loadConfig.ts';
import { taskMaking } from './config/taskMaking.ts';
import { toolsOf } from './config/toolsConfig.ts';
import { probeEndpoint } from './probeEndpoint.ts';
import { RunError } from './run/runError.ts';

export interface Need {
  /** Checks for its keys, without requests. Each throws `UserError` if one is missing. */
  readonly checks: readonly ((env: NodeJS.ProcessEnv) => void)[];
  /** Sends a test request. Throws `RunError` if unreachable. */
  probe?(env: NodeJS.ProcessEnv): Promise<void>;
}

export interface AskedEndpoint extends SectionModel {
  readonly use: 'chat' | 'completions' | 'embeddings';
  readonly neededFor: string;
  /** Source of its address. */
  readonly where: string;
}

export function askedEndpoints(loaded: LoadedConfig): AskedEndpoint[] {
  const { config } = loaded;
  return [
    ...(loaded.synthesis ? [] : teacherAsked(config)),
    ...sectionAsked('probe.model', config),
    ...(runAsksJudgeModel(config) ? sectionAsked('judge.model', config) : []),
    ...toolModelsAsked(loaded),
    ...sectionAsked('dedup.trajectories.semantic.model', config),
    ...makersAsked(config),
  ];
}

function makersAsked(config: Config): AskedEndpoint[] {
  const making = taskMaking();
  const models = making?.askedModels(config) ?? [];
  return models.map((asked) => askedEndpoint(asked, `coa-distill ${making!.section}`));
}

/** Endpoints of the teacher; embedded ones need no check. */
function teacherAsked(config: Config): AskedEndpoint[] {
  if (!asksEndpoint(config.teacher)) return [];
  const { backend, player } = config.teacher;
  const use = backend === 'coa_model' && player?.api !== 'chat' ? 'completions' : 'chat';
  return teacherModels(config).map(({ place, model, endpoint, sampling }) => {
    const where = `${place}.endpoint.base_url, --base-url or OPENAI_BASE_URL`;
    return { place, model, endpoint, sampling, use, neededFor: 'the teacher', where };
  });
}

function toolModelsAsked(loaded: LoadedConfig): AskedEndpoint[] {
  return askedToolModels(loaded.config, toolsOf(loaded)).flatMap(({ part, tool }) =>
    sectionAsked(`tools.${part}`, loaded.config, `the tool ${tool}`),
  );
}

const neededBy: { readonly [Section in ModelSection]?: string } = {
  'probe.model': 'the probe',
  'judge.model': 'the judge',
};

function sectionAsked(
  section: ModelSection,
  config: Config,
  neededFor = neededBy[section] ?? section,
): AskedEndpoint[] {
  const asked = sectionModel(config, section);
  const embeds =
    section === 'dedup.trajectories.semantic.model' || section === 'tools.wiki_search.dense.model';
  return asked ? [askedEndpoint(asked, neededFor, embeds ? 'embeddings' : 'chat')] : [];
}

export function askedEndpoint(
  asked: SectionModel,
  neededFor: string,
  use: AskedEndpoint['use'] = 'chat',
): AskedEndpoint {
  return { ...asked, use, neededFor, where: `${asked.place}.endpoint.base_url` };
}

/** Services that the rollout uses: of tools, of their models, of the teacher. */
export function serviceNeeds(loaded: LoadedConfig): Need[] {
  return [...toolNeeds(loaded), ...teacherAsked(loaded.config).map(poolNeed)];
}

export function toolNeeds(loaded: LoadedConfig): Need[] {
  return [
    { checks: toolKeyChecks(loaded).map(({ check }) => check) },
    ...toolModelsAsked(loaded).map(poolNeed),
  ];
}

/** Checks the keys and other variables of each tool in use. */
export function toolKeyChecks(
  loaded: LoadedConfig,
): { readonly tag: string; readonly check: (env: NodeJS.ProcessEnv) => void }[] {
  const { tools } = loaded.config;
  return wantedRows(tools, toolsOf(loaded)).flatMap(({ row, tags }) =>
    tags.map((tag) => ({ tag, check: (env) => row.checkEnvironment(tools, tag, env) })),
  );
}

/** The probed model, and the judge of its answers. */
export function probingNeeds(loaded: LoadedConfig): Need[] {
  const asked = sectionAsked('probe.model', loaded.config).map(poolNeed);
  return asked.length === 0 ? [] : [...asked, ...judgeNeeds(loaded)];
}

/** The judge's model, if a stage of the run uses it. */
export function judgeNeeds({ config }: LoadedConfig): Need[] {
  return asksJudgeModel(config) ? judgeModelNeeds(config) : [];
}

/** The judge's model, even if no stage of a run uses it. */
export function judgeModelNeeds(config: Config): Need[] {
  return sectionAsked('judge.model', config).map(poolNeed);
}

/** Embeddings for comparing trajectories. They are not tested in advance. */
export function embeddingNeeds(config: Config): Need[] {
  const asked = sectionAsked('dedup.trajectories.semantic.model', config);
  return asked.map((one) => ({ checks: poolNeed(one).checks }));
}

/**
 * Checks all keys, then all services. Throws `UserError` that names every missing key, `RunError` for an unreachable
 * service.
 */
export async function checkNeeds(needs: readonly Need[], env: NodeJS.ProcessEnv): Promise<void> {
  const missing = await problemsOf(keyChecks(needs, env));
  if (missing.length > 0) throw new ProblemList(missing);
  await probeNeeds(needs, env);
}

export function keyChecks(needs: readonly Need[], env: NodeJS.ProcessEnv): (() => void)[] {
  return needs.flatMap(({ checks }) => checks.map((check) => () => check(env)));
}

/** Probes all services one by one. Throws `RunError` for an unreachable one. */
export async function probeNeeds(needs: readonly Need[], env: NodeJS.ProcessEnv): Promise<void> {
  for (const need of needs) await need.probe?.(env);
}

/** Distinct messages of the `UserError`s that checks throw. */
export async function problemsOf(checks: readonly (() => void | Promise<void>)[]): Promise<string[]> {
  const messages = new Set<string>();
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      messages.add(error.message);
    }
  }
  return [...messages];
}

export function ownModules(loaded: LoadedConfig): OwnModule[] {
  const { tools, filters } = loaded.config;
  const judge = ownJudge(loaded.config);
  return [
    ...wantedRows(tools, toolsOf(loaded)).flatMap(({ row, tags }) => row.modulesOf?.(tools, tags) ?? []),
    ...ownRules(filters).values(),
    ...(judge ? [judge] : []),
  ];
}

/** Opens the tokenizers of tools. Throws `UserError` for an unusable one. */
export async function checkToolFiles(loaded: LoadedConfig): Promise<void> {
  const { tools } = loaded.config;
  for (const { row, tags } of wantedRows(tools, toolsOf(loaded))) {
    for (const module of row.modulesOf?.(tools, tags) ?? []) await checkModule(module);
    const tokenizer = row.tokenizerOf(tools);
    if (tokenizer !== undefined) (await loadTokenizer(tokenizer)).close();
  }
}

/** Requires a key for every member; an unreachable member is left to the rest of its pool. */
export function poolNeed({ place, endpoint, where }: AskedEndpoint): Need {
  const members = membersOf(endpoint);
  return {
    checks: members.map((member) => (env) => void apiKeyOf(place, member, env)),
    async probe(env) {
      const problems: string[] = [];
      for (const member of members) {
        const probe = await probeEndpoint(member, apiKeyOf(place, member, env));
        if (probe.reachable) return;
        problems.push(`${addressWithoutSecrets(member.base_url)} can't be reached (${probe.why})`);
      }
      throw new RunError(`the endpoint ${problems.join(', ')}; start it, or name another with ${where}`);
    },
  };
}
