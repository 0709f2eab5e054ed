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

/** Settings that shape records, by stage; stages outside of the run are absent. */
export type ConfigFingerprint = Readonly<
  Record<Exclude<StageName, OptionalStageName>, JsonObject> & Partial<Record<OptionalStageName, JsonObject>>
>;

type Part = Partial<Config>;

/**
 * Settings that shape records; the schema of each key names the stages it shapes. Inputs are identified by content, not
 * path. The files of an imported run are in `run.json`.
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

/** Imported rows replace tasks; only a synthesis reads documents. */
function readsSection({ imported, synthesis }: LoadedConfig, section: string | number | undefined): boolean {
  if (section === 'tasks') return !imported && !synthesis;
  return section !== taskMaking()?.section || synthesis === true;
}

/**
 * Replaces a built index by its identity. The index contains the hash of its corpus, so gigabytes are not read.
 *
 * @throws UserError if the index does not exist
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
  // A round trip through JSON drops undefined values, so that comparing and hashing agree.
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
          // The judge then decides how many rollouts a task gets.
          ...(dependsOnJudge(rolloutPlan(config.teacher)) && {
            until_judged: { convert: convertPart, judge: part('judge') },
          }),
        },
    convert: convertPart,
    filter: {
      ...part('filter'),
      // Used by these filters only.
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
      // The seed draws the mixed rows; benchmark questions are removed from them.
      ...(dataset.mix && { seed, benchmarks: decontaminate?.benchmarks }),
    },
  };
}

/** Groups that exist only in fingerprints, and the matching configuration path. */
const groups: readonly [RegExp, string][] = [
  [/(^|\.)until_judged\.(?:convert|judge)\./, '$1'],
  [/(^|\.)row\./, '$1dataset.'],
  [/(^|\.)promises(?=\.|$)/, '$1filters'],
  [/(^|\.)prompts(?=\.|$)/, '$1profiles'],
];

/**
 * Maps fingerprint paths to configuration keys. Skips groups that exist on one side only; they follow from
 * `teacher.backend`, `rollouts` or `on_wrong`, which are named already.
 */
export function settingNames(paths: readonly string[]): string[] {
  const named = paths.map((path) => groups.reduce((name, [group, key]) => name.replace(group, key), path));
  return [...new Set(named)].filter((path) => !/(?:^|\.)(?:until_judged|row)$/.test(path));
}

/** Settings of a student run: how the prompts, which are beginnings of dataset rows, are rendered. */
function studentPart({ dataset, profiles }: Config) {
  const { system_prompt, tokenizer, chat_template, template_variables, boundary_tokens, mask } = dataset;
  const row = { system_prompt, tokenizer, chat_template, template_variables, boundary_tokens };
  return { row: boundary_tokens === 'apart' ? { ...row, mask } : row, prompts: promptsOf(profiles) };
}

/** Settings of the judge's model, also if it gives no verdicts. */
function judgeModelPart(config: Config) {
  const { judge } = shapingPart(configKeys, config, 'judge') as Part;
  return judge && { model: judge.model, votes: judge.votes, max_chars: judge.max_chars };
}

/** Removes models that are never called. */
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

/** Removes built-in profiles with only a changed prompt, which do not shape tasks. */
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

/** Prompts of profiles. They only appear in rows, so a changed prompt needs `convert`, not a new rollout. */
function promptsOf(profiles: Config['profiles']) {
  const prompts = profiles.map(({ name, instruction, question_join, prompt_style }) => {
    return [name, { instruction, question_join, prompt_style }] as const;
  });
  const stated = prompts.filter(([, prompt]) => Object.values(prompt).some((value) => value !== undefined));
  return stated.length === 0 ? undefined : Object.fromEntries(stated);
}
