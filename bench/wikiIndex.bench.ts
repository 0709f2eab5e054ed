/**
 * The index of generated passages (bench/support/wikiPassages.ts): how long it takes to build, how large it gets, how
 * long a query takes and whether it finds the passage it was made from, beside plain FTS5 that scores every passage
 * with any word of the query.
 *
 * Goal: 1,000,000 passages under 60 s, p99 under 100 ms. `WIKI_BENCH_PASSAGES` (default 100,000) and
 * `WIKI_BENCH_QUERIES` (default 100) set the size. Run with `make bench`.
 */
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mulberry32 } from '../test/support/mulberry32.ts';
import { buildPassageIndex } from '../tools/wikiSearch/buildPassageIndex.ts';
import { createIndexRetriever } from '../tools/wikiSearch/createIndexRetriever.ts';
import { openIndexFile } from '../tools/wikiSearch/openPassageIndex.ts';
import { generatePassages, questionAbout } from './support/wikiPassages.ts';

const passages = Number(process.env.WIKI_BENCH_PASSAGES ?? 100_000);
const queries = Number(process.env.WIKI_BENCH_QUERIES ?? 100);
const clients = 200;
const folder = mkdtempSync(path.join(tmpdir(), 'coa-wiki-bench-'));
const corpus = path.join(folder, 'wiki.jsonl');
const file = path.join(folder, 'wiki.sqlite');

try {
  const questions = await writeCorpus();
  await measureBuild();
  measureQueries(questions);
  await measureClients(questions.map(({ query }) => query));
  console.log(
    `load at the end: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  );
} finally {
  rmSync(folder, { recursive: true });
}

/** Questions about passages from all over the corpus. */
async function writeCorpus() {
  const random = mulberry32(7);
  const every = Math.floor(passages / queries);
  const questions: { query: string; number: number }[] = [];
  const out = createWriteStream(corpus);
  let number = 0;
  for (const passage of generatePassages(passages)) {
    number += 1;
    const { id, contents } = passage;
    if (!out.write(`${JSON.stringify({ id, contents })}\n`)) await once(out, 'drain');
    if (number % every === 0) questions.push({ query: questionAbout(passage, random), number });
  }
  out.end();
  await once(out, 'close');
  return questions;
}

async function measureBuild(): Promise<void> {
  const started = performance.now();
  const cpu = process.cpuUsage();
  let rss = 0;
  const onProgress = () => {
    rss = Math.max(rss, process.memoryUsage.rss());
  };
  await buildPassageIndex(corpus, file, { onProgress });
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const perMillion = 1_000_000 / passages;
  console.log(
    `build: ${passages} passages in ${seconds.toFixed(1)} s (${((user + system) / 1e6).toFixed(1)} s of CPU), ` +
      `${(statSync(file).size / 1e6).toFixed(1)} MB of ${(statSync(corpus).size / 1e6).toFixed(1)} MB; a million: ` +
      `${(seconds * perMillion).toFixed(1)} s, ${((statSync(file).size * perMillion) / 1e6).toFixed(0)} MB; ` +
      `at most ${(rss / 1e6).toFixed(0)} MB of memory; load ${loadavg()[0]!.toFixed(1)}`,
  );
}

function measureQueries(questions: readonly { readonly query: string; readonly number: number }[]): void {
  const index = openIndexFile(file);
  const ours = questions.map(({ query }) => timed(() => index.search(query, 10).map(({ number }) => number)));
  index.close();
  const database = new DatabaseSync(file, { readOnly: true });
  const full = database.prepare(
    'SELECT rowid AS number, bm25(words, 2, 1) AS score FROM words WHERE words MATCH ? ORDER BY score, rowid LIMIT 10',
  );
  const every = questions.map(({ query }) => {
    const words = [...new Set(query.split(' '))].map((word) => `"${word}"`).join(' OR ');
    return timed(() => full.all(words).map((row) => Number(row.number)));
  });
  database.close();
  const recall = (found: typeof ours, depth: number) =>
    found.filter(({ value }, at) => value.slice(0, depth).includes(questions[at]!.number)).length /
    questions.length;
  const shared = ours.map(
    ({ value }, at) => value.filter((number) => every[at]!.value.includes(number)).length / 10,
  );
  console.table(
    [
      ['this index', ours],
      ['plain FTS5', every],
    ].map(([name, found]) => ({
      name,
      ...percentiles((found as typeof ours).map(({ ms }) => ms)),
      'recall@3': recall(found as typeof ours, 3).toFixed(3),
      'recall@10': recall(found as typeof ours, 10).toFixed(3),
    })),
  );
  const mean = shared.reduce((sum, share) => sum + share, 0) / shared.length;
  console.log(`of plain FTS5's first 10, this index has ${(100 * mean).toFixed(1)} %`);
}

/** Many clients at once, and how long the event loop is kept from anything else. */
async function measureClients(asked: readonly string[]): Promise<void> {
  const retriever = createIndexRetriever({ files: { index: file }, passages, mode: 'bm25' });
  const signal = new AbortController().signal;
  const late: number[] = [];
  let before = performance.now();
  const timer = setInterval(() => {
    late.push(performance.now() - before - 10);
    before = performance.now();
  }, 10);
  const waits: number[] = [];
  const started = performance.now();
  const client = async (place: number) => {
    for (let turn = 0; turn < 5; turn++) {
      const asking = performance.now();
      await retriever.retrieve([asked[(place * 5 + turn) % asked.length]!], 3, signal);
      waits.push(performance.now() - asking);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, place) => client(place)));
  const seconds = (performance.now() - started) / 1000;
  clearInterval(timer);
  await retriever.close();
  console.log(`${clients} clients: ${(waits.length / seconds).toFixed(0)} queries/s`);
  console.table([
    { what: 'wait for an answer', ...percentiles(waits) },
    { what: 'event loop late', ...percentiles(late) },
  ]);
}

function timed<T>(work: () => T): { readonly ms: number; readonly value: T } {
  const started = performance.now();
  const value = work();
  return { ms: performance.now() - started, value };
}

function percentiles(values: readonly number[]) {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1);
  return { 'p50 ms': at(0.5), 'p99 ms': at(0.99), 'most ms': at(1) };
}
