import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

/** Multi-hop tasks with known answers: they need no sandbox. */
export function riverTasks(count: number) {
  return Array.from({ length: count }, (_, n) => ({
    id: `q${n}`,
    question: `Which river flows past town number ${n}?`,
    answer: `river ${n}`,
  }));
}

export const sampleTasks = riverTasks(12);

const passages = Array.from({ length: 12 }, (_, n) => ({
  id: String(n),
  contents: `"Town ${n}"\nTown number ${n} lies on river ${n}.`,
}));

/** What a test's project holds besides the defaults. */
export interface ProjectOptions {
  readonly tasks?: string;
  readonly teacher?: string;
  readonly more?: string;
  readonly profile?: string;
  /** Where it is made; a folder of the test's own by default. */
  readonly folder?: string;
}

/** A folder with a configuration `coa.yaml`, its tasks and its passages. */
export function createProject(options: ProjectOptions = {}): string {
  const { tasks, teacher, more = '', profile = 'mhqa', folder = temporaryFolder() } = options;
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('tasks.jsonl', tasks ?? jsonLines(sampleTasks));
  write('passages.jsonl', jsonLines(passages));
  write(
    'coa.yaml',
    `tasks:
  sources:
    - file: tasks.jsonl
      profile: ${profile}
teacher: ${teacher ?? '{ backend: answer_key }'}
tools:
  wiki_search: { corpus: passages.jsonl }
${more}`,
  );
  return folder;
}

/** Rows as JSONL. */
export function jsonLines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
