import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, parseJson } from '../../base/json.ts';
import { packageFolder } from '../../base/packageVersion.ts';
import type { TemplateProfile } from './templates.ts';

/** The text of a file, or where a file or folder is copied from. */
export type ExampleFile = string | { readonly from: string };

/** Tasks of an example: enough for each stage to have something to do. */
const TASKS = 12;

/** What the bundled world gives an example: some of its tasks, their script, and what its tools look things up in. */
export async function exampleFiles(profile: TemplateProfile): Promise<ReadonlyMap<string, ExampleFile>> {
  const bundled = (name: string) => join(packageFolder(), 'examples', name);
  const script = new Map(
    (await rowsOf(bundled('quickstart.script.jsonl'))).map((row) => [row.question, row]),
  );
  const tasks = (await rowsOf(bundled(`tasks/${profile}.jsonl`)))
    // Its twin stands further down.
    .filter(({ question }) => script.get(question)?.flaw !== 'duplicate_question')
    .slice(0, TASKS);
  return new Map<string, ExampleFile>([
    ['tasks.jsonl', jsonl(tasks)],
    ['script.jsonl', jsonl(tasks.map(({ question }) => script.get(question)!))],
    ...(profile === 'web' ? ([['site', { from: bundled('atlas/site') }]] as const) : []),
    ...(profile === 'mhqa' ? ([['passages.jsonl', { from: bundled('atlas/passages.jsonl') }]] as const) : []),
  ]);
}

async function rowsOf(file: string): Promise<JsonObject[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => parseJson(line) as JsonObject);
}

function jsonl(rows: readonly JsonObject[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
