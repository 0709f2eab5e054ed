import { execFileSync } from 'node:child_process';
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { sealedFile, sealedLine } from '../../base/journal/sealed.ts';
import { type Segment, trajectoryId, trajectorySchema } from '../../schemas/trajectory.ts';
import { writeAnswerKey } from '../../test/support/answerKey/answerKeyOf.ts';

/** The program as users start it. */
export const launcher = path.resolve(import.meta.dirname, '../../bin/coa-distill.js');

const tasks = Array.from({ length: 12 }, (_, n) => ({
  id: `q${n}`,
  question: `Which river flows past town number ${n}?`,
  answer: `river ${n}`,
}));
const passages = tasks.map(({ id, answer }, n) => ({
  id,
  contents: `"Town ${n}"\nTown number ${n} lies on ${answer}.`,
}));

/** What the folder of {@link createExportRun} is made with. */
export interface ExportRunOptions {
  /** An empty folder. */
  readonly folder: string;
  /** Trajectories that wait for the export. */
  readonly rows: number;
  /** More lines of `coa.yaml`, such as a `dataset` section. */
  readonly config?: string;
}

/**
 * A project whose run `coa` has everything done but the export: twelve short tasks are run for real, then the
 * filter's records are replaced by as many trajectories as are asked for, each with another question, answer and id.
 */
export async function createExportRun({ folder, rows, config = '' }: ExportRunOptions): Promise<void> {
  const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  write('tasks.jsonl', jsonLines(tasks));
  write('passages.jsonl', jsonLines(passages));
  write(
    'coa.yaml',
    'tasks: { sources: [{ file: tasks.jsonl, profile: mhqa }] }\n' +
      'teacher: { backend: scripted, script: script.jsonl }\n' +
      `tools: { wiki_search: { corpus: passages.jsonl } }\n${config}`,
  );
  await writeAnswerKey(path.join(folder, 'coa.yaml'));
  execFileSync(process.execPath, [launcher, 'run', '--until', 'filter'], { cwd: folder, stdio: 'pipe' });
  await replaceRecords(path.join(folder, 'runs/coa/filter'), rows);
}

async function replaceRecords(stage: string, rows: number): Promise<void> {
  const records = path.join(stage, 'records.jsonl');
  const [first = ''] = readFileSync(records, 'utf8').split('\n');
  const template = JSON.stringify(JSON.parse(first).records[0]);
  const town = Number(/town number (\d+)/.exec(template)?.[1]);
  const stream = createWriteStream(records);
  for (let row = 0; row < rows; row++) {
    if (!stream.write(recordLine(template, town, row)))
      await new Promise<void>((resolve) => stream.once('drain', () => resolve()));
  }
  stream.end();
  await finished(stream);
  const stageFile = path.join(stage, 'stage.json');
  const counts = { entered: rows, emitted_inputs: rows, emitted_records: rows, dropped: {}, failed: {} };
  const { checksum, ...before } = JSON.parse(readFileSync(stageFile, 'utf8'));
  writeFileSync(stageFile, sealedFile({ ...before, ...counts }));
}

/** The template's trajectory about another town. */
function recordLine(template: string, town: number, row: number): string {
  const names = new RegExp(`(town number|Town number|Town|river) ${town}\\b`, 'g');
  const { user, segments, ...changed } = trajectorySchema.parse({
    ...JSON.parse(template.replaceAll(names, `$1 ${row}`)),
    task_id: `task_${row}`,
  });
  const short = { ...changed, user: user.slice(user.lastIndexOf('\n') + 1), segments: oneSearch(segments) };
  const trajectory = { ...short, id: trajectoryId(short) };
  const { id, task_id } = trajectory;
  return `${sealedLine({ index: row, count: 1, input_id: id, task_id, records: [trajectory] })}\n`;
}

/** The first search and the end: a quarter of a kilobyte of words is a short row. */
function oneSearch(segments: readonly Segment[]): Segment[] {
  const search = segments.findIndex(({ origin }) => origin === 'environment');
  return [...segments.slice(search - 2, search + 1), ...segments.slice(-2)];
}

function jsonLines(rows: readonly object[]): string {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}
