import type { JsonObject } from '../../base/json.ts';
import { hasStage, type OptionalStageName, type StageName, stageNames } from '../../contract/stageTable.ts';
import { builtinProfile } from '../../schemas/coa/profiles/builtin.ts';
import { type Config, configKeys } from '../../schemas/config/config.ts';
import { shapingPart } from '../../schemas/config/keyTree.ts';
import { asksJudgeModel } from '../../schemas/config/resolved/endpoints.ts';
import { promisedSettings } from '../../schemas/config/resolved/promises.ts';
import { dependsOnJudge, rolloutPlan } from '../../schemas/config/rollouts.ts';
import { prefersByJudge } from '../../schemas/config/select.ts';
import { playsAlone } from '../../schemas/config/teacherBackends.ts';
import type { DenseConfig } from '../../schemas/config/tools/wikiSearch.ts';
import type { ImportedFiles } from '../../schemas/run/runFile.ts';
import { reviewIdentity } from '../../stages/review/createReviewStage.ts';
import { fingerprintOfTools } from '../../tools/toolTable.ts';
import { inputIdentity } from './hashInput.ts';
import type { LoadedConfig } from './loadConfig.ts';
import { type ConfigPath, configPaths, mapConfigPaths } from './resolveConfigPaths.ts';
import { taskMaking } from './taskMaking.ts';

/** What of a configuration shapes records, by the stage that it shapes; a stage that is absent is not in the run. */
export type ConfigFingerprint = Readonly<
  Record<Exclude<StageName, OptionalStageName>, JsonObject> & Partial<Record<OptionalStageName, JsonObject>>
>;

/** A configuration with the keys alone that shape a stage. */
type Part = Partial<Config>;

/**
 * The part of a configuration that shapes records: each key says in its schema which stages it shapes. Inputs are named
 * by their content instead of their path. An imported run has no tasks: its files are named in `run.json`.
 *
 * @param isRead whether a path of the configuration is an input of this run: the others may be missing by now
 */
export async function fingerprintConfig(
  loaded: LoadedConfig,
  isRead: (path: Pick<ConfigPath, 'keys'>) => boolean = ({ keys }) => readsSection(loaded, keys[0]),
): Promise<ConfigFingerprint> {
  const identities = new Map<string, string>();
  for (const found of configPaths(loaded.config)) {
    if (isRead(found)) identities.set(found.path, await inputIdentity(found.path));
  }
  const config = mapConfigPaths(loaded.config, ({ path }) => identities.get(path) ?? path);
  const index = config.tools.wiki_search?.index;
  const isNamed = index !== undefined && isRead({ keys: ['tools', 'wiki_search', 'index'] });
  return byStage(isNamed ? await withIndexIdentity(config) : config, loaded);
}

/** Rows that are imported stand in for tasks, and documents for both: only a synthesis reads those. */
function readsSection({ imported, synthesis }: LoadedConfig, section: string | number | undefined): boolean {
  if (section === 'tasks') return !imported && !synthesis;
  return section !== taskMaking()?.section || synthesis === true;
}

/**
 * The configuration with a built index named by what it holds. Its corpus's hash stands in the index: an index of tens
 * of gigabytes is not read for it.
 *
 * @throws UserError when there is no such index
 */
async function withIndexIdentity(config: Config): Promise<Config> {
  const { readIndexMeta } = await import('../../tools/wikiSearch/openPassageIndex.ts');
  const wiki = config.tools.wiki_search!;
  const { corpus_sha256, version, passages } = readIndexMeta(wiki.index!);
  const index = `passages sha256:${corpus_sha256} version ${version}`;
  const dense = wiki.mode === 'bm25' ? wiki.dense : await withFaissIdentity(wiki.dense, passages);
  return { ...config, tools: { ...config.tools, wiki_search: { ...wiki, index, dense } } };
}

async function withFaissIdentity(dense: DenseConfig | undefined, passages: number) {
  if (dense?.faiss === undefined) return dense;
  const { openFaissIndex } = await import('../../tools/wikiSearch/dense/openFaissIndex.ts');
  const faiss = openFaissIndex(dense.faiss, passages);
  faiss.close();
  return { ...dense, faiss: faiss.identity };
}

function byStage(config: Config, loaded: LoadedConfig): ConfigFingerprint {
  const used = withoutUnused(config);
  const part = (stage: StageName) => shapingPart(configKeys, used, stage) as Part;
  const shaping = loaded.synthesis
    ? taskMaking()!.shapingOf(config, part)
    : datasetParts(config, loaded, part);
  // A round trip through JSON leaves out what is undefined, so that comparing and hashing agree.
  return JSON.parse(JSON.stringify(shaping)) as ConfigFingerprint;
}

function datasetParts(config: Config, loaded: LoadedConfig, part: (stage: StageName) => Part) {
  const { profiles, filters, seed, dataset, decontaminate } = config;
  const { reviews } = loaded;
  const wanted = stageNames.filter((stage) => hasStage(stage, { ...config, reviews }));
  const convertPart = { ...part('convert'), profiles: undefined, prompts: promptsOf(profiles) };
  return {
    ...Object.fromEntries(wanted.map((stage) => [stage, part(stage)])),
    tasks: tasksPart(part('tasks'), loaded),
    probe: hasStage('probe', config) ? { ...part('probe'), judged: part('judge') } : undefined,
    rollout: loaded.imported
      ? {}
      : {
          ...part('rollout'),
          tools: fingerprintOfTools(part('rollout').tools!, config.tools),
          promises: promisedSettings(config),
          ...(playsAlone(config.teacher) && studentPart(config)),
          // Which rollouts there are then depends on what the judge finds.
          ...(dependsOnJudge(rolloutPlan(config.teacher)) && {
            until_judged: { convert: convertPart, judge: part('judge') },
          }),
        },
    convert: convertPart,
    filter: {
      ...part('filter'),
      // Asked for by these filters alone.
      seed: filters.reflection && seed,
      ...(!filters.length && { dataset: undefined }),
    },
    select: hasStage('select', config)
      ? {
          dedup: {},
          ...part('select'),
          ...(prefersByJudge(config.select) && { judge: judgeModelPart(config) }),
        }
      : undefined,
    review: reviews && { ...part('review'), decisions: reviewIdentity(reviews) },
    export: {
      ...part('export'),
      name: undefined,
      dataset_name: loaded.name,
      // Rows are drawn by it, and looked for in the benchmarks.
      ...(dataset.mix && { seed, benchmarks: decontaminate?.benchmarks }),
    },
  };
}

/** What groups settings in a stage's part of a fingerprint alone, and where they stand in a configuration. */
const groups: readonly [RegExp, string][] = [
  [/(^|\.)until_judged\.(?:convert|judge)\./, '$1'],
  [/(^|\.)row\./, '$1dataset.'],
  [/(^|\.)promises(?=\.|$)/, '$1filters'],
  [/(^|\.)prompts(?=\.|$)/, '$1profiles'],
];

/**
 * Names of settings as a configuration has them, for paths into a stage's part of a fingerprint. A group that is there
 * on one side alone is not named: it follows on `teacher.backend`, `rollouts` or `on_wrong`, which differ with it.
 */
export function settingNames(paths: readonly string[]): string[] {
  const named = paths.map((path) => groups.reduce((name, [group, key]) => name.replace(group, key), path));
  return [...new Set(named)].filter((path) => !/(?:^|\.)(?:until_judged|row)$/.test(path));
}

/** What a CoA model that plays alone is shown: rows of the dataset, as far as they are played. */
function studentPart({ dataset, profiles }: Config) {
  const { system_prompt, tokenizer, chat_template, template_variables, boundary_tokens, mask } = dataset;
  const row = { system_prompt, tokenizer, chat_template, template_variables, boundary_tokens };
  return { row: boundary_tokens === 'apart' ? { ...row, mask } : row, prompts: promptsOf(profiles) };
}

/** The judge's model, also where it gives no verdicts. */
function judgeModelPart(config: Config) {
  const { judge } = shapingPart(configKeys, config, 'judge') as Part;
  return judge && { model: judge.model, votes: judge.votes, max_chars: judge.max_chars };
}

/** A model that nobody asks shapes nothing. */
function withoutUnused(config: Config): Config {
  const { judge, tools } = config;
  const wiki = tools.wiki_search;
  return {
    ...config,
    judge: asksJudgeModel(config) ? judge : withoutModel(judge),
    tools: wiki?.mode === 'bm25' ? { ...tools, wiki_search: { ...wiki, dense: undefined } } : tools,
  };
}

function withoutModel({ model: _, votes: __, max_chars: ___, ...judge }: Config['judge']): Config['judge'] {
  return judge as Config['judge'];
}

/** A built-in profile of which only the prompt is set shapes no tasks. */
function tasksPart({ tasks, filters, profiles = [] }: Part, { limit, imported }: LoadedConfig) {
  const grammars = profiles.filter(({ name }) => builtinProfile(name) === undefined);
  return {
    ...(imported ? { imported: importPart(imported) } : { tasks, limit }),
    profiles: grammars.length === 0 ? undefined : grammars,
    filters: imported || filters?.min_tests === undefined ? undefined : filters,
  };
}

function importPart({ files, ...settings }: ImportedFiles) {
  return { ...settings, files: files.map(({ identity }) => identity) };
}

/** Prompts stand in rows alone: another one asks for conversion, not for a new rollout. */
function promptsOf(profiles: Config['profiles']) {
  const prompts = profiles.map(({ name, instruction, question_join, prompt_style }) => {
    return [name, { instruction, question_join, prompt_style }] as const;
  });
  const stated = prompts.filter(([, prompt]) => Object.values(prompt).some((value) => value !== undefined));
  return stated.length === 0 ? undefined : Object.fromEntries(stated);
}
