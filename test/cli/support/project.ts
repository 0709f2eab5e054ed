import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, safeParseJson } from '../../../base/json.ts';
import { builtinRegistry } from '../../../schemas/coa/profileRegistry.ts';
import { layoutOf } from '../../../schemas/tasks/layoutOf.ts';
import { mapTask } from '../../../stages/tasks/mapTask.ts';
import { answerKeyLines, type ScriptFileOptions } from '../../support/answerKey/answerKeyOf.ts';
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

/** A passage for each town of {@link riverTasks}, and for twelve at least. */
const passagesFor = (tasks: string) =>
  Array.from({ length: Math.max(12, tasks.split('\n').length) }, (_, n) => ({
    id: String(n),
    contents: `"Town ${n}"\nTown number ${n} lies on river ${n}.`,
  }));

/** Teacher of a project by default: it plays the known answers of the tasks. */
export const scriptedTeacher = 'backend: scripted, script: script.jsonl';

export interface ProjectOptions extends ScriptFileOptions {
  readonly tasks?: string;
  readonly teacher?: string;
  readonly more?: string;
  readonly profile?: string;
  /** Where it is made; a folder of the test's own by default. */
  readonly folder?: string;
}

/** A folder with a configuration `coa.yaml`, its tasks, their script and its passages. */
export function createProject(options: ProjectOptions = {}): string {
  const { teacher, more = '', profile = 'mhqa', folder = temporaryFolder() } = options;
  const { tasks = jsonLines(sampleTasks) } = options;
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('tasks.jsonl', tasks);
  write('script.jsonl', scriptOf(tasks, profile, options));
  write('passages.jsonl', jsonLines(passagesFor(tasks)));
  write(
    'coa.yaml',
    `tasks:
  sources:
    - file: tasks.jsonl
      profile: ${profile}
teacher: ${teacher ?? `{ ${scriptedTeacher} }`}
tools:
  wiki_search: { corpus: passages.jsonl }
${more}`,
  );
  return folder;
}

/** The known answers of the usable rows of a task file as a script; empty for profiles of a test's own. */
export function scriptOf(text: string, profile: string, options: ScriptFileOptions): string {
  if (!builtinRegistry.names.includes(profile)) return '';
  const rows = text.split('\n').flatMap(rowOf);
  const layout = layoutOf({ preset: 'generic', columns: {} }, rows[0], true);
  const { domain } = builtinRegistry.profileOf(profile)!;
  const read = rows.map((row, at) => mapTask(at + 1, row, { layout, profile, domain, file: 'tasks.jsonl' }));
  return answerKeyLines(
    read.flatMap((one) => ('task' in one ? one.task : [])),
    options,
  );
}

function rowOf(line: string): JsonObject[] {
  const parsed = safeParseJson(line);
  return parsed.ok && isJsonObject(parsed.value) ? [parsed.value] : [];
}

/** Rows as JSONL. */
export function jsonLines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
