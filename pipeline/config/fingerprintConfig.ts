import { contentId } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import { hasStage, type OptionalStageName, type StageName } from '../../contract/stageTable.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import type { Config } from '../../schemas/config/config.ts';
import { asksJudgeModel } from '../../schemas/config/resolved/endpoints.ts';
import type { SemanticDedupConfig } from '../../schemas/config/semanticDedup.ts';
import type { EndpointConfig } from '../../schemas/config/teacher.ts';
import { type CodeConfig, codeConfigSchema } from '../../schemas/config/tools/code.ts';
import type { ImportedFiles } from '../../schemas/run/importedFiles.ts';
import { inspectionPrompts } from '../../tools/visualInspector/inspectionPrompt.ts';
import { fingerprintCrawlPage } from './fingerprintCrawlPage.ts';
import { fingerprintMcpTools } from './fingerprintMcpTools.ts';
import { fingerprintWikiSearch, withIndexIdentity } from './fingerprintWikiSearch.ts';
import { inputIdentity } from './hashInput.ts';
import type { LoadedConfig } from './loadConfig.ts';
import { type ConfigPath, configPaths, mapConfigPaths } from './resolveConfigPaths.ts';

/** What of a configuration shapes records, by the stage that it shapes; a stage that is absent is not in the run. */
export type ConfigFingerprint = Readonly<
  Record<Exclude<StageName, OptionalStageName>, JsonObject> & Partial<Record<OptionalStageName, JsonObject>>
>;

/**
 * The part of a configuration that shapes records, with every input named by its content instead of its path. Left
 * out, because no record depends on it: names and folders of runs, addresses and keys, prices (a cost is a measurement,
 * like a duration), time-outs, retries and how many things happen at once. An imported run has no tasks: its files are
 * named in `run.json`.
 *
 * @param isRead whether a path of the configuration is an input of this run: the others may be gone by now
 */
export async function fingerprintConfig(
  loaded: LoadedConfig,
  isRead: (path: ConfigPath) => boolean = ({ keys }) => !loaded.imported || keys[0] !== 'tasks',
): Promise<ConfigFingerprint> {
  const identities = new Map<string, string>();
  for (const found of configPaths(loaded.config)) {
    if (isRead(found)) identities.set(found.path, await inputIdentity(found.path));
  }
  const config = mapConfigPaths(loaded.config, ({ path }) => identities.get(path) ?? path);
  const index = config.tools.wiki_search?.index;
  const isNamed = index !== undefined && isRead({ keys: ['tools', 'wiki_search', 'index'], path: index });
  return byStage(isNamed ? await withIndexIdentity(config) : config, loaded);
}

function byStage(config: Config, { limit, name, imported }: LoadedConfig): ConfigFingerprint {
  const { profiles, tasks, dedup, filters, convert, judge, select, dataset, training, seed } = config;
  const { duplicate_questions, ...trajectoryFilters } = filters;
  const { min_tests } = filters;
  const { system_prompt, ...rest } = dataset;
  const tools = shapingTools(config.tools);
  const shaping = {
    tasks: {
      ...(imported ? { imported: shapingImport(imported) } : { tasks, limit }),
      profiles: grammarsOf(profiles),
      filters: imported || min_tests === undefined ? undefined : { min_tests },
    },
    dedup: {
      filters: { duplicate_questions },
      dedup: dedup?.questions && { questions: shapingDedup(dedup.questions) },
    },
    decontaminate: hasStage('decontaminate', config) ? { decontaminate: config.decontaminate } : undefined,
    rollout: imported ? {} : { teacher: shapingTeacher(config.teacher), tools, seed },
    convert: { convert, dataset: { system_prompt }, prompts: promptsOf(profiles) },
    judge: { judge: shapingJudge(judge), tools: { code: tools.code } },
    filter: shapingFilter(trajectoryFilters, config),
    select: hasStage('select', config)
      ? { select, dedup: { trajectories: dedup?.trajectories && shapingDedup(dedup.trajectories) } }
      : undefined,
    balance: hasStage('balance', config) ? { balance: config.balance, seed } : undefined,
    export: { dataset: rest, training: shapingTraining(training), dataset_name: name },
  };
  // A round trip through JSON leaves out what is undefined, so that comparing and hashing agree.
  return JSON.parse(JSON.stringify(shaping)) as ConfigFingerprint;
}

/** What of declared profiles shapes every stage; a built-in one of which only the prompt is set has nothing of it. */
function grammarsOf(profiles: Config['profiles']) {
  const grammars = profiles
    .map(({ instruction, question_join, prompt_style, ...grammar }) => grammar)
    .filter(({ name }) => builtinProfile(name) === undefined);
  return grammars.length === 0 ? undefined : grammars;
}

/** Prompts stand in rows alone: another one asks for conversion, not for a new rollout. */
function promptsOf(profiles: Config['profiles']) {
  const prompts = profiles.map(({ name, instruction, question_join, prompt_style }) => {
    return [name, { instruction, question_join, prompt_style }] as const;
  });
  const stated = prompts.filter(([, prompt]) => Object.values(prompt).some((value) => value !== undefined));
  return stated.length === 0 ? undefined : Object.fromEntries(stated);
}

function shapingImport({ files, ...settings }: ImportedFiles) {
  return { ...settings, files: files.map((file) => file.identity) };
}

function shapingTeacher(teacher: Config['teacher']) {
  const { concurrency, endpoint, roles, ...shaping } = teacher;
  const shapingRoles = Object.entries(roles).map(([role, own]) => [
    role,
    { ...own, ...(own.endpoint && { endpoint: shapingEndpoint(own.endpoint) }) },
  ]);
  return { ...shaping, endpoint: shapingEndpoint(endpoint), roles: Object.fromEntries(shapingRoles) };
}

function shapingEndpoint({ structured_answers, tool_calls }: EndpointConfig) {
  return { structured_answers, tool_calls };
}

/** What the filter is also shaped by where it is asked for: the seed of choices, the tokenizer that tells lengths. */
function shapingFilter(filters: Omit<Config['filters'], 'duplicate_questions'>, { seed, dataset }: Config) {
  return {
    filters,
    ...(filters.reflection && { seed }),
    ...(filters.length && { dataset: { tokenizer: dataset.tokenizer } }),
  };
}

/** Embeddings are those of a model, wherever it is and however many texts a request has. */
function shapingDedup<Section extends { readonly semantic?: SemanticDedupConfig | undefined }>({
  semantic,
  ...lexical
}: Section) {
  if (!semantic) return lexical;
  const { endpoint, batch_size, ...shaping } = semantic;
  return { ...lexical, semantic: shaping };
}

/** A model that nobody asks shapes nothing. */
function shapingJudge({ model, ...judge }: Config['judge']) {
  if (!model || !asksJudgeModel({ judge: { model, ...judge } })) return judge;
  return { ...judge, model: { ...model, endpoint: shapingEndpoint(model.endpoint) } };
}

/** What stands in the configurations that lie beside the rows. */
function shapingTraining(training: Config['training']) {
  const { model, learning_rate, warmup_ratio, lr_scheduler, epochs } = training;
  const { per_device_batch_size, gradient_accumulation_steps, seed } = training;
  const rates = { learning_rate, warmup_ratio, lr_scheduler };
  return { model, ...rates, epochs, per_device_batch_size, gradient_accumulation_steps, seed };
}

function shapingTools(tools: Config['tools']) {
  const { site, wiki_search, web_search, crawl_page, code, visual_inspector, custom, mcp } = tools;
  return {
    site,
    wiki_search: wiki_search && fingerprintWikiSearch(wiki_search),
    web_search: web_search && shapingWebSearch(web_search, tools),
    crawl_page: crawl_page && fingerprintCrawlPage(crawl_page, shapingToolModel),
    code: code && {
      backend: code.backend,
      timeout_s: code.timeout_s,
      memory_mb: code.memory_mb,
      max_output_chars: code.max_output_chars,
      ...shapingLimits(code),
    },
    visual_inspector: visual_inspector && shapingVisualInspector(visual_inspector),
    custom: Object.keys(custom).length === 0 ? undefined : shapingCustomTools(custom),
    mcp: mcp && fingerprintMcpTools(mcp),
  };
}

/** Limits that a program may run into. Those that have their defaults go without saying, as before there were any. */
function shapingLimits(code: CodeConfig): Partial<CodeConfig> {
  const defaults = codeConfigSchema.parse({});
  const names = [
    'cpu_s',
    'max_processes',
    'max_file_mb',
    'max_open_files',
    'max_output_mb',
    'disk_mb',
    'output_cut',
  ] as const;
  return Object.fromEntries(
    names.filter((name) => code[name] !== defaults[name]).map((name) => [name, code[name]]),
  );
}

/** Who finds, wherever he is. Serper goes without saying, as it did before there were others. */
function shapingWebSearch(
  { provider, base_url, num }: NonNullable<Config['tools']['web_search']>,
  { site, wiki_search }: Config['tools'],
) {
  return {
    num,
    own_service: base_url !== undefined,
    provider: provider === 'serper' ? undefined : provider,
    corpus: provider === 'local' && !site && wiki_search ? fingerprintWikiSearch(wiki_search) : undefined,
  };
}

/** A tool's model, wherever it is. */
function shapingToolModel<Model extends { readonly endpoint: EndpointConfig }>({
  endpoint,
  ...model
}: Model) {
  return { ...model, endpoint: shapingEndpoint(endpoint) };
}

function shapingVisualInspector(inspector: NonNullable<Config['tools']['visual_inspector']>) {
  const { model, timeout_s, ...shaping } = inspector;
  return { ...shaping, model: shapingToolModel(model), prompts: contentId('config', inspectionPrompts) };
}

function shapingCustomTools(custom: Config['tools']['custom']) {
  const shaping = Object.entries(custom).map(([tag, tool]) => {
    const { url, api_key_env, timeout_s, ...rest } = tool;
    return [tag, rest];
  });
  return Object.fromEntries(shaping);
}
