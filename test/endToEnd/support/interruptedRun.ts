import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type CliResult, finished, startCli } from '../../cli/support/runCli.ts';
import { isRunning } from '../../support/isRunning.ts';
import { waitUntil } from '../../support/waitUntil.ts';

/** The stages whose journals hold what a run acknowledged. */
const journals = ['tasks', 'dedup', 'rollout', 'convert', 'judge', 'filter'].flatMap((stage) => [
  `${stage}/records.jsonl`,
  `${stage}/ledger.jsonl`,
]);

/** Goes on with a run and sends it a signal once it has taken the run folder and `moment` has come; it may end before. */
export async function interrupt(
  cwd: string,
  runFolder: string,
  signal: NodeJS.Signals,
  moment: () => Promise<unknown>,
): Promise<CliResult> {
  const child = startCli(['run'], { cwd });
  const ended = finished(child);
  const lock = join(runFolder, 'lock.json');
  try {
    await waitUntil('the lock', () => !isRunning(child) || isHeldBy(lock, child.pid), { everyMs: 2 });
    if (isRunning(child)) await Promise.race([moment(), ended]);
  } finally {
    child.kill(signal);
  }
  return ended;
}

/** What a run has acknowledged: every whole line of every journal. */
export function acknowledged(runFolder: string): ReadonlyMap<string, string> {
  const whole = (file: string) => {
    const path = join(runFolder, file);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return text.slice(0, text.lastIndexOf('\n') + 1);
  };
  return new Map(journals.map((file) => [file, whole(file)]));
}

/** Journals that no longer begin with what they had acknowledged. */
export function lostLines(before: ReadonlyMap<string, string>, runFolder: string): string[] {
  const now = acknowledged(runFolder);
  return journals.filter((file) => !now.get(file)!.startsWith(before.get(file)!));
}

/** Lines of stages about records that the stage before does not hold: `judge 3`. */
export function orphanLines(runFolder: string): string[] {
  const text = acknowledged(runFolder);
  const indexes = (file: string) =>
    text
      .get(file)!
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [Number(JSON.parse(line).index)]));
  const chained = ['rollout', 'convert', 'judge', 'filter'];
  return chained.slice(1).flatMap((stage, at) => {
    const upstream = new Set(indexes(`${chained[at]}/records.jsonl`));
    const own = [...indexes(`${stage}/records.jsonl`), ...indexes(`${stage}/ledger.jsonl`)];
    return own.filter((index) => !upstream.has(index)).map((index) => `${stage} ${index}`);
  });
}

/** Answers that a run's cache holds, of one model or of all. The file and its log stay as the kill left them. */
export function cachedModelAnswers(runFolder: string, model: string | null = null): number {
  const path = join(runFolder, 'cache.sqlite');
  if (!existsSync(path)) return 0;
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const { tables } = database
      .prepare(`SELECT count(*) AS tables FROM sqlite_schema WHERE name = 'answers'`)
      .get()!;
    if (tables === 0) return 0;
    const count = `SELECT count(*) AS n FROM answers WHERE kind = 'model' AND (?1 IS NULL OR name = ?1)`;
    return Number(database.prepare(count).get(model)!.n);
  } finally {
    database.close();
  }
}

function isHeldBy(lock: string, pid: number | undefined): boolean {
  try {
    return JSON.parse(readFileSync(lock, 'utf8')).pid === pid;
  } catch {
    // Not there yet, or not whole.
    return false;
  }
}
