import { resolve } from 'node:path';
import { chatTemplatePresets } from '../../output/chatTemplates/chatTemplatePresets.ts';
import type { Config } from '../../schemas/config/config.ts';
import { teacherBackendOf } from '../../schemas/config/teacherBackends.ts';

/** Name of the tokenizer that comes with coa-distill; anything else is a path. */
const BUNDLED_TOKENIZER = 'qwen2.5';

/** A path in a configuration: where it stands and what it says. */
export interface ConfigPath {
  readonly keys: readonly (string | number)[];
  readonly path: string;
}

/** Every file or folder that a configuration reads, in the order of its sections. */
export function configPaths(config: Config): ConfigPath[] {
  const { tasks, decontaminate, teacher, tools, filters, dataset } = config;
  const found: { keys: (string | number)[]; path: string | undefined }[] = [
    ...tasks.sources.flatMap((source, index) =>
      (['file', 'tests_from'] as const).map((key) => ({
        keys: ['tasks', 'sources', index, key],
        path: source[key],
      })),
    ),
    ...(decontaminate?.benchmarks ?? []).map((benchmark, index) => ({
      keys: ['decontaminate', 'benchmarks', index, 'path'],
      path: benchmark.path,
    })),
    { keys: ['teacher', 'script'], path: teacherBackendOf(teacher).needs ? teacher.script : undefined },
    { keys: ['tools', 'wiki_search', 'corpus'], path: tools.wiki_search?.corpus },
    { keys: ['tools', 'site', 'folder'], path: tools.site?.folder },
    { keys: ['tools', 'visual_inspector', 'folder'], path: tools.visual_inspector?.folder },
    {
      keys: ['tools', 'crawl_page', 'tokenizer'],
      path: tools.crawl_page?.tokenizer === BUNDLED_TOKENIZER ? undefined : tools.crawl_page?.tokenizer,
    },
    { keys: ['filters', 'difficulty', 'file'], path: filters.difficulty?.file },
    {
      keys: ['dataset', 'tokenizer'],
      path: dataset.tokenizer === BUNDLED_TOKENIZER ? undefined : dataset.tokenizer,
    },
    {
      keys: ['dataset', 'chat_template'],
      path: chatTemplatePresets.has(dataset.chat_template) ? undefined : dataset.chat_template,
    },
  ];
  return found.flatMap(({ keys, path }) => (path === undefined ? [] : [{ keys, path }]));
}

/** The configuration with each of its paths replaced. */
export function mapConfigPaths(config: Config, replace: (found: ConfigPath) => string): Config {
  const mapped = structuredClone(config);
  for (const found of configPaths(config)) setIn(mapped, found.keys, replace(found));
  return mapped;
}

/** The configuration with relative paths starting at `folder`. */
export function resolveConfigPaths(config: Config, folder: string): Config {
  const mapped = mapConfigPaths(config, ({ path }) => resolve(folder, path));
  // No inputs, so not among the paths that are named by their content.
  for (const server of Object.values(mapped.tools.mcp?.servers ?? {})) {
    if (server.command !== undefined) server.cwd = resolve(folder, server.cwd ?? '.');
  }
  // What is built of a corpus: named by what it says of itself.
  const wiki = mapped.tools.wiki_search;
  if (wiki?.index !== undefined) wiki.index = resolve(folder, wiki.index);
  return mapped.cache.file ? { ...mapped, cache: { file: resolve(folder, mapped.cache.file) } } : mapped;
}

function setIn(target: object, keys: readonly (string | number)[], value: string): void {
  const parent = keys
    .slice(0, -1)
    .reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], target);
  (parent as Record<string | number, unknown>)[keys.at(-1)!] = value;
}
