import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const site = fileURLToPath(new URL('../../../examples/atlas/site/', import.meta.url));

/** A folder with some pages of the bundled atlas and a configuration `coa.yaml` that makes tasks from them and solves these. */
export function synthesisProject(pages: number, synthesize: object = {}, folder = temporaryFolder()): string {
  mkdirSync(join(folder, 'site'));
  // Pages about things, not the lists of them.
  const files = readdirSync(site).filter((file) => !/^(?:all-|index)/.test(file));
  for (const file of files.slice(0, pages)) cpSync(join(site, file), join(folder, 'site', file));
  const config = {
    name: 'coa',
    seed: 7,
    tasks: { sources: [{ file: 'runs/coa/taskset/tasks.jsonl', profile: 'web' }] },
    teacher: { backend: 'answer_key' },
    tools: { site: { folder: 'site', host: 'atlas.example' }, web_search: {}, crawl_page: {} },
    synthesize: {
      backend: 'embedded',
      corpus: { site: 'site' },
      grow: { hops: { min: 2, max: 3 } },
      check: {
        closed_book: { tries: 1 },
        evidence: { tries: 1 },
        tools: { tries: 1, max_pass_rate: 1 },
      },
      planted: { faults: 0.2 },
      ...synthesize,
    },
  };
  writeFileSync(join(folder, 'coa.yaml'), stringify(config));
  return folder;
}
