import { afterEach, expect, test } from 'vitest';
import { createBatches } from '../../base/batches.ts';
import { limitsForFile } from '../../base/isolated/fileLimits.ts';
import { IsolatedProcess } from '../../base/isolated/isolatedProcess.ts';
import { ThreadedWork } from '../../base/threads/threadedWork.ts';
import { maxHereWeight } from '../../base/threads/threadPool.ts';
import { SharedAnswerCache } from '../../pipeline/workers/database/sharedAnswerCache.ts';
import { pack, type SharedDatabase } from '../../pipeline/workers/database/sharedDatabase.ts';
import { codeConfigSchema } from '../../schemas/config/tools/code.ts';
import type { CachedAnswer } from '../../schemas/run/cachedAnswer.ts';
import { createPageReader } from '../../tools/crawlPage/createPageReader.ts';
import { openSandboxProcess } from '../../tools/sandbox/openSandboxProcess.ts';
import { useThreads } from '../base/threads/support/useThreads.ts';
import { faults, type Question } from './support/faults.ts';

/*
 * Every place where an answer meets its question over a pipe, a thread or a batch: whatever becomes of an answer, each
 * question gets its own or fails. Where else this is tested:
 *
 * | place | test |
 * |---|---|
 * | code of the user's own | base/programs/ownModule.test.ts |
 * | HTTP: endpoints, services, pages; our servers of tools and of RL | answers/sockets.test.ts |
 * | programs in Pyodide, a process each | tools/pyodide.test.ts |
 * | scores and steps of RL, by the loops' own client | trainers/rlClient.test.ts |
 * | embeddings, by index | teachers/client/embeddingModel.test.ts |
 * | chat answers that name their request | teachers/client/attempts.test.ts |
 * | passages of a retrieval service, a list a query | tools/wikiService.test.ts |
 * | calls of MCP servers | tools/mcp/hostileServer.test.ts |
 * | results of tool calls in imported traces, by id | interchange/textTurns.test.ts |
 */

interface Place {
  ask(question: Question): Promise<number>;
  close(): void | Promise<void>;
}

const support = (name: string) => new URL(`./support/${name}.ts`, import.meta.url);
const never = new AbortController().signal;

/** A page that is not read for so long is refused. */
const LATE_MS = 1_500;

const places: Readonly<Record<string, () => Promise<Place>>> = {
  async 'a process that reads files'() {
    const reader = new IsolatedProcess<Question>(support('faultyReader'), limitsForFile(1e6));
    return { ask: async (question) => (await reader.ask(question)) as number, close: () => reader.close() };
  },
  async 'the processes that read pages'() {
    const reader = createPageReader(LATE_MS, support('faultyPages'));
    const ask = async (question: Question) => {
      const read = await reader.read({ kind: 'words', html: JSON.stringify(question) }, never);
      if (!read.ok) throw new Error(read.reason);
      return Number(read.text);
    };
    return { ask, close: () => reader.close() };
  },
  async 'the process that runs programs'() {
    const settings = codeConfigSchema.parse({ backend: 'bubblewrap' });
    const sandbox = await openSandboxProcess(settings, () => {}, support('faultyRunner'));
    const ask = async (question: Question) => {
      const program = { code: JSON.stringify(question), stdin: '' };
      return Number((await sandbox.run(program, never)).stdout);
    };
    return { ask, close: () => sandbox.close?.() };
  },
  async 'threads, an item a message'() {
    return faultyThreads(() => maxHereWeight + 1);
  },
  async 'threads, many items a message'() {
    const threads = faultyThreads(({ n }) => (n < 0 ? maxHereWeight + 1 : 1));
    // A thread that is ready takes half of the next items.
    await threads.ask({ n: -1 });
    return threads;
  },
};

function faultyThreads(weigh: (question: Question) => number): Place {
  useThreads(2);
  const workHere =
    async () =>
    ({ n }: Question) =>
      10 * n;
  const options = { module: support('faultyThread'), settings: {}, open: workHere, weigh };
  const work = new ThreadedWork<object, Question, number>(options);
  return { ask: (question) => work.run(question), close: () => work.close() };
}

let opened: Place | undefined;
afterEach(async () => {
  await opened?.close();
});

/** A lost answer is waited for so long; any other comes, on a loaded machine late. */
const LOST_MS = 1_000;
const lost = () => new Promise<'lost'>((resolve) => setTimeout(resolve, LOST_MS, 'lost').unref());

const cases = Object.keys(places).flatMap((place) => faults.map((fault) => [place, fault] as const));

test.each(cases)('%s: an answer that is %s moves no other', async (place, fault) => {
  opened = await places[place]!();
  const ask = async (question: Question) => {
    const said = opened!.ask(question).then(
      (value) => value === 10 * question.n,
      () => 'failed',
    );
    return question.fault === 'lost' ? Promise.race([said, lost()]) : said;
  };
  const numbers = Array.from({ length: 12 }, (_, n) => n);
  const said = await Promise.all(numbers.map((n) => ask(n === 5 ? { n, fault } : { n })));
  expect(said).not.toContain(false);
  if (['twice', 'again_later', 'not_asked', 'shifted'].includes(fault)) expect(said).toContain('failed');
});

const plus = async (items: readonly number[]) => items.map((item) => item + 1);
test.each<[string, (items: readonly number[]) => Promise<number[]>]>([
  ['one is lost', async (items) => (await plus(items)).slice(1)],
  [
    'one comes twice',
    async (items) => (await plus(items)).flatMap((one, at) => (at === 1 ? [one, one] : [one])),
  ],
  ['all are lost', async () => []],
])('a batch fails where of its results %s', async (_, send) => {
  const call = createBatches(send, 8);
  const settled = await Promise.allSettled([1, 2, 3].map(call));
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});

const keyOf = (n: number) => ({ request: n.toString(16).padStart(64, '0'), provider: 'p' });
const answerOf = (n: number): CachedAnswer => ({
  ...{ kind: 'tool', ...keyOf(n), name: 'search', sample: 0, task_id: 't' },
  ...{ created_at: new Date(0).toISOString(), answer: { observation: `${n}`, raw: null } },
});

type Rows = { readonly body: Buffer; readonly is_archived: boolean; readonly state: 'answered' }[];
test.each<[string, (rows: Rows) => Rows]>([
  ['one is lost', (rows) => rows.toSpliced(1, 1)],
  ['one comes twice', (rows) => rows.toSpliced(1, 0, rows[0]!)],
  ['one comes twice in place of the next', (rows) => rows.with(1, rows[0]!)],
  ['two are swapped', ([one, other, ...rest]) => [other!, one!, ...rest]],
  ['they are those of the statement before', (rows) => rows.map(() => rowOf(9))],
])('an answer of the workers’ database is refused where %s', async (_, planted) => {
  const query = async (text: string, [, requests]: [string, string[]]) => {
    expect(text).toMatch(/find_answers|ask/);
    return planted(requests.map((request) => rowOf(Number.parseInt(request, 16))));
  };
  const database = { query } as unknown as SharedDatabase;
  const cache = new SharedAnswerCache(database, { run: '1', worker: '1' });
  const found = await Promise.allSettled([1, 2, 3].map((n) => cache.lookup(keyOf(n))));
  expect(found.map(({ status }) => status)).toContain('rejected');
  const alone = [1, 2, 3].map((n) => cache.alone(keyOf(n), never, () => cache.lookup(keyOf(n))));
  for (const [at, one] of [...found, ...(await Promise.allSettled(alone))].entries())
    if (one.status === 'fulfilled') expect(one.value?.answer.observation).toBe(`${(at % 3) + 1}`);
  expect((await Promise.allSettled(alone)).map(({ status }) => status)).toContain('rejected');
});

function rowOf(n: number): Rows[number] {
  return { body: pack(answerOf(n)), is_archived: false, state: 'answered' };
}
