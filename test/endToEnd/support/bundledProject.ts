import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const examples = fileURLToPath(new URL('../../../examples/', import.meta.url));

/** What a project differs in from the quickstart. */
export interface BundledProjectOptions {
  /** Task ids of the bundled files, all of one profile. */
  readonly taskIds: readonly string[];
  readonly profile: 'web' | 'mhqa' | 'math' | 'code';
  /** Members of the `tools` section that replace the quickstart's. */
  readonly tools?: Readonly<Record<string, object>>;
}

/** A folder with a copy of the bundled world, some of its tasks and a configuration `coa.yaml` that plays them. */
export function bundledProject({ taskIds, profile, tools = {} }: BundledProjectOptions): string {
  const folder = temporaryFolder();
  cpSync(join(examples, 'atlas/site'), join(folder, 'site'), { recursive: true });
  cpSync(join(examples, 'atlas/passages.jsonl'), join(folder, 'passages.jsonl'));
  cpSync(join(examples, 'quickstart.script.jsonl'), join(folder, 'script.jsonl'));
  const rows = readFileSync(join(examples, `tasks/${profile}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
  const chosen = rows.filter((row) => taskIds.includes(JSON.parse(row).id));
  writeFileSync(join(folder, 'tasks.jsonl'), `${chosen.join('\n')}\n`);
  const config = {
    tasks: { sources: [{ file: 'tasks.jsonl', profile }] },
    teacher: {
      backend: 'scripted',
      script: 'script.jsonl',
      model: { model: 'scripted-teacher', endpoint: { max_retries: 0 } },
    },
    tools: {
      wiki_search: { corpus: 'passages.jsonl' },
      site: { folder: 'site' },
      web_search: {},
      crawl_page: {},
      code: { timeout_s: 5 },
      ...tools,
    },
    filters: { min_interactions: { math: 2, code: 2 } },
  };
  writeFileSync(join(folder, 'coa.yaml'), stringify(config));
  return folder;
}

/** The lines of a run's JSONL file; none when there is no such file. */
export function runLines<T>(folder: string, file: string): T[] {
  const text = readFileSync(join(folder, 'runs/coa', file), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}
