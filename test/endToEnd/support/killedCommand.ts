import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type CliResult, finished, startCli } from '../../cli/support/runCli.ts';
import { isRunning } from '../../support/isRunning.ts';
import { waitUntil } from '../../support/waitUntil.ts';

/** A command that is killed over and over, and how it is seen that nothing was lost. */
export interface KilledCommand {
  readonly cwd: string;
  /** Default: `run`. */
  readonly args?: readonly string[];
  /** The run folder, whose lock it takes before the first kill. */
  readonly run: string;
  /** What it makes in the end. */
  made(): unknown;
  /** How far it is, in requests or bytes; absent: it is killed by the clock alone. */
  progress?(): number;
  /** Requests since the last `clear`, those on their way included; absent: it asks nobody. */
  asked?(): Promise<readonly string[]>;
  /** The model whose answers its cache holds; default: all. */
  readonly model?: string;
  /** Most requests that a kill may find in flight. */
  readonly mostInFlight?: number;
  /** Asserts what holds at every moment. */
  check?(): void;
  /** Removes what the command made. */
  clear(): void;
}

/** What an undisturbed command asked, in any order, what it made, and how long it took. */
export interface Undisturbed {
  readonly asked: readonly string[];
  readonly made: unknown;
  readonly progress: number;
  readonly durationMs: number;
}

const forever = () => new Promise<never>(() => {});

/** Runs a command to its end, and then clears what it made. */
export async function undisturbed(command: KilledCommand): Promise<Undisturbed> {
  const { code, stderr, durationMs } = await interrupt(command, 'SIGKILL', forever);
  expect(code, stderr).toBe(0);
  const asked = [...((await command.asked?.()) ?? [])].sort();
  expect(new Set(asked).size).toBe(asked.length);
  const whole = { asked, made: command.made(), progress: command.progress?.() ?? 0, durationMs };
  command.clear();
  return whole;
}

/**
 * Ends a command at moments that a seed draws, shares of its time and of its progress in turn, and lets it go on each
 * time. One that was complete by then is looked at and started over.
 *
 * @returns requests that were in flight, over all kills
 */
export async function killAtMoments(
  command: KilledCommand,
  whole: Undisturbed,
  { signal = 'SIGKILL', times, seed }: { signal?: NodeJS.Signals; times: number; seed: number },
): Promise<number> {
  // More than are needed: a moment may come after the command's end, which is no kill.
  const shares = fc.sample(fc.noBias(fc.integer({ min: 0, max: 999 })), { numRuns: 4 * times, seed });
  let [inFlight, all, ended] = [0, 0, 0];
  for (const [nth, thousandths] of shares.entries()) {
    const share = thousandths / 1_000;
    const [before, orphans] = [acknowledged(command.run), orphanLines(command.run)];
    const { code, stderr } = await interrupt(command, signal, () => momentOf(command, whole, share, nth));
    expect([null, 0, 143], stderr).toContain(code);
    expect(lostLines(before, command.run)).toEqual([]);
    expect(orphanLines(command.run)).toEqual(orphans);
    command.check?.();
    const lost = await inFlightNow(command, inFlight);
    inFlight += lost;
    all += lost;
    if (code !== 0 && ++ended === times) break;
    if (code !== 0) continue;
    await expectUndisturbed(command, whole, inFlight);
    command.clear();
    inFlight = 0;
  }
  expect(ended).toBe(times);
  const last = await interrupt(command, signal, forever);
  expect(last.code, last.stderr).toBe(0);
  await expectUndisturbed(command, whole, inFlight);
  return all;
}

/** Time lands in every stage, progress in the middle of conversations. */
async function momentOf(command: KilledCommand, whole: Undisturbed, share: number, nth: number) {
  const { progress } = command;
  if (!progress || nth % 2 === 0) return delay(share * whole.durationMs);
  const until = progress() + Math.ceil((share * whole.progress) / 3);
  return waitUntil(`progress to ${until}`, () => progress() >= until, { everyMs: 1 });
}

/** Every request is either answered and on the disk, or one of those that were in flight at a kill. */
async function inFlightNow(command: KilledCommand, before: number): Promise<number> {
  if (!command.asked) return 0;
  const asked = (await command.asked()).length;
  const lost = asked - before - cachedModelAnswers(command.run, command.model);
  expect(lost).toBeGreaterThanOrEqual(0);
  expect(lost).toBeLessThanOrEqual(command.mostInFlight!);
  return lost;
}

/** The finished command asked what the undisturbed one asked, and again only what was in flight when it was ended. */
export async function expectUndisturbed(command: KilledCommand, whole: Undisturbed, inFlight: number) {
  expect(command.made()).toEqual(whole.made);
  const requests = (await command.asked?.()) ?? [];
  expect([...new Set(requests)].sort()).toEqual(whole.asked);
  expect(requests.length - whole.asked.length).toBe(inFlight);
}

/** Starts a command and sends it a signal once it holds its run and `moment` has come; it may end before. */
export async function interrupt(
  { cwd, args = ['run'], run }: Pick<KilledCommand, 'cwd' | 'args' | 'run'>,
  signal: NodeJS.Signals,
  moment: () => Promise<unknown>,
): Promise<CliResult & { readonly durationMs: number }> {
  const child = startCli(args, { cwd });
  const ended = finished(child);
  const lock = join(run, 'lock.json');
  let beganMs = 0;
  try {
    await waitUntil('the lock', () => !isRunning(child) || isHeldBy(lock, child.pid), { everyMs: 2 });
    beganMs = performance.now();
    if (isRunning(child)) await Promise.race([moment(), ended]);
  } finally {
    child.kill(signal);
  }
  return { ...(await ended), durationMs: performance.now() - beganMs };
}

function isHeldBy(lock: string, pid: number | undefined): boolean {
  try {
    return JSON.parse(readFileSync(lock, 'utf8')).pid === pid;
  } catch {
    // Not there yet, or not whole.
    return false;
  }
}

/** The stages whose journals hold what a run acknowledged. */
const journals = [
  ...['tasks', 'dedup', 'rollout', 'convert', 'judge', 'filter'],
  ...['documents', 'facts', 'grow', 'check'],
].flatMap((stage) => [`${stage}/records.jsonl`, `${stage}/ledger.jsonl`]);

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
function orphanLines(runFolder: string): string[] {
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

/** The bytes of all files in a folder, of which some may vanish meanwhile; none where there is no folder. */
export function bytesIn(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
      .reduce((sum, stats) => sum + (stats?.isFile() ? stats.size : 0), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
