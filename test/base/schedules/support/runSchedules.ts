/**
 * Runs schedules in a delayed copy: `node runSchedules.ts KIND FIRST COUNT FOLDER`. Each starts works of threads, processes
 * that read and readers of files, lets some of them fail or be closed early, and waits for every promise that it was given.
 * One that stays open ends this process with status 1 and a line that names the seed.
 */
import childProcess, { type ChildProcess } from 'node:child_process';
import { writeFileSync, writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import workerThreads, { type Worker } from 'node:worker_threads';
import { below, happens, pause, reseed } from './delays.ts';
import { SimulatedChild, SimulatedWorker, type ThreadFate } from './simulated.ts';

const [kind, first, count, folder] = process.argv.slice(2) as [string, string, string, string];
const isSimulated = kind === 'simulated';

if (isSimulated) {
  Object.assign(workerThreads, { Worker: SimulatedWorker });
  Object.assign(childProcess, { fork: () => new SimulatedChild() });
  syncBuiltinESMExports();
} else {
  delayEvents(workerThreads.Worker as unknown as { readonly prototype: Worker });
  delayEvents(childProcess.ChildProcess as unknown as { readonly prototype: ChildProcess });
}

const { threadLimit } = await import('../../../../base/threads/threadMessages.ts');
const { ThreadedWork } = await import('../../../../base/threads/threadedWork.ts');
const { maxHereWeight } = await import('../../../../base/threads/threadPool.ts');
const { inOrder } = await import('../../../../base/threads/inOrder.ts');
const { columnRows } = await import('../../../../base/rows/columnRows.ts');
const { openRowFile } = await import('../../../../base/rows/openRowFile.ts');
const { IsolatedProcess } = await import('../../../../base/isolated/isolatedProcess.ts');
const { limitsForFile } = await import('../../../../base/isolated/fileLimits.ts');

/** What a real thread or process says comes late, and in order. Listeners are those of now: Node takes them off at the end. */
function delayEvents({ prototype }: { readonly prototype: Worker | ChildProcess }): void {
  const turns = new WeakMap<object, Promise<void>>();
  const emit = prototype.emit as (...args: unknown[]) => boolean;
  prototype.emit = function (this: Worker, event: string, ...args: unknown[]) {
    if (!['message', 'exit', 'error'].includes(event)) return emit.call(this, event, ...args);
    const listeners = this.rawListeners(event);
    const turn = (turns.get(this) ?? Promise.resolve()).then(pause).then(() => {
      for (const listener of listeners) listener.apply(this, args);
    });
    turns.set(this, turn);
    return true;
  };
}

interface Item {
  readonly n: number;
  readonly fails: boolean;
  readonly isHeavy: boolean;
  readonly secret?: () => void;
}

/** The promises of a schedule that are still open, by what they are of. */
let open: Map<object, string>;
const outcomes = { fulfilled: 0, rejected: 0 };

/** Takes a promise of the product down, and gives what became of it. */
async function taken<T>(of: string, promise: Promise<T>): Promise<T | undefined> {
  const key = {};
  open.set(key, of);
  try {
    const value = await promise;
    outcomes.fulfilled += 1;
    return value;
  } catch {
    outcomes.rejected += 1;
    return undefined;
  } finally {
    open.delete(key);
  }
}

const oneIn = (percent: number, otherwise = 0) => (happens(percent) ? 1 + below(30) : otherwise);

function startWork() {
  const fate: ThreadFate = { failsToOpen: happens(20) ? 40 : 0, ends: happens(30) ? 15 : 0 };
  const here = () => async (item: Item) => {
    await pause();
    if (item.fails) throw new Error('failed');
    return 10 * item.n;
  };
  return new ThreadedWork<ThreadFate, Item, number>({
    module: new URL('./delayedThread.ts', import.meta.url),
    open: here,
    settings: fate,
    weigh: ({ isHeavy }) => (isHeavy ? maxHereWeight + 1 : 1 + below(200_000)),
  });
}

function itemOf(n: number, heavy: number): Item {
  const item = { n, fails: happens(5), isHeavy: happens(heavy) };
  return happens(1) ? { ...item, secret: () => {} } : item;
}

async function check(work: ReturnType<typeof startWork>, item: Item): Promise<void> {
  const value = await taken(`item ${item.n}`, work.run(item));
  if (value !== undefined && value !== 10 * item.n) throw new Error(`${item.n} got ${value}`);
}

/** Many items at once, or some after others; the work may be closed before they end. */
async function workActor(): Promise<void> {
  const work = startWork();
  const heavy = [0, 10, 100][below(3)]!;
  const asked: Promise<void>[] = [];
  for (let n = 0, items = below(60); n < items; n += 1) {
    asked.push(check(work, itemOf(n, heavy)));
    if (happens(20)) await pause();
    if (happens(5)) await Promise.all(asked);
  }
  if (happens(70)) await Promise.all(asked);
  await taken('closing', work.close());
  await Promise.all(asked);
}

/** Rows of a file of columns, or of text, each given to threads, as `check` reads a dataset. */
async function rowsActor(): Promise<void> {
  const work = startWork();
  const heavy = [0, 100][below(2)]!;
  const most = oneIn(40, Number.POSITIVE_INFINITY);
  const run = ({ row }: { readonly row: number }) => work.run(itemOf(row, heavy));
  const weigh = () => [1, 600_000][below(2)]!;
  const read = async () => {
    let rows = 0;
    for await (const { item, result } of inOrder(await someRows(), run, { weigh })) {
      if (result !== 10 * item.row) throw new Error(`row ${item.row} got ${result}`);
      if (++rows >= most) break;
    }
  };
  await taken('rows', read());
  await taken('closing', work.close());
}

const textFiles = [
  ...['lines.jsonl', 'list.json', 'wrapped.json', 'values.json', 'lines.jsonl.gz', 'list.json.zst'],
  ...['table.csv', 'table.csv.gz', 'cut.jsonl', 'cut.json', 'cut.jsonl.gz', 'cut.jsonl.zst', 'pipe', 'no'],
];
const columnFiles = ['columns.parquet', 'columns.arrow', 'cut.parquet', 'cut.arrow'];

async function someRows() {
  const isColumns = happens(50);
  if (isColumns && isSimulated)
    return columnRows({ path: 'x', size: 1_000, format: happens(50) ? 'arrow' : 'parquet' });
  const names = isColumns ? columnFiles : textFiles;
  return (await openRowFile(path.join(folder, names[below(names.length)]!))).rows();
}

/** A reader asked several things at once, which may be closed meanwhile. */
async function readerActor(): Promise<void> {
  const module = new URL('./delayedReader.ts', import.meta.url);
  const reader = new IsolatedProcess<number>(module, limitsForFile(1_000));
  const asked: Promise<unknown>[] = [];
  for (let questions = below(8); questions > 0; questions -= 1) {
    asked.push(taken('question', reader.ask(questions)));
    if (happens(40)) await pause();
    if (happens(10)) reader.close();
  }
  if (happens(80)) await Promise.all(asked);
  reader.close();
  await Promise.all(asked);
}

async function runSchedule(seed: number): Promise<void> {
  writeFileSync(new URL('seed', import.meta.url), String(seed));
  reseed(seed);
  open = new Map();
  Object.assign(threadLimit, { threads: 2 + below(isSimulated ? 3 : 2), hereFirstMs: happens(10) ? 2 : 0 });
  const actors = [workActor, workActor, rowsActor, rowsActor, readerActor];
  await Promise.all(
    Array.from({ length: happens(40) ? 1 : 2 + below(3) }, () => actors[below(actors.length)]!()),
  );
}

const STUCK_MS = 60_000;
let seed = Number(first);

function stayedOpen(how: string): void {
  writeSync(2, `seed ${seed}: open though ${how}: ${[...open.values()].join(', ')}\n`);
  process.exit(1);
}

process.on('beforeExit', () => stayedOpen('nothing is left to wait for'));
for (const last = seed + Number(count); seed < last; seed += 1) {
  const watch = setTimeout(stayedOpen, STUCK_MS, 'something is waited for').unref();
  await runSchedule(seed);
  clearTimeout(watch);
}
process.removeAllListeners('beforeExit');
process.stdout.write(JSON.stringify(outcomes));
