/**
 * 1,000 trajectories at once against `coa-distill serve rl`: each asks for three observations and a score, with more
 * text behind it each time. Prints p50 and p99 as the clients see them, requests a second, CPU and memory of the server.
 *
 *     node bench/rlServer.bench.ts            TRAJECTORIES=1000 CHARS=4000
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { Agent, request } from 'undici';
import { Resources } from '../base/resources.ts';
import type { RlSegment } from '../rl/records/rlTrajectory.ts';
import { sourceOfConfig } from '../rl/server/environmentSource.ts';
import { watchProcess } from './support/watchProcess.ts';

const trajectories = Number(process.env.TRAJECTORIES ?? 1000);
/** Characters of a thought and of an observation. */
const chars = Number(process.env.CHARS ?? 4000);
/** What a search takes. */
const searchMs = 200;

const retrieval = createServer(async (incoming, response) => {
  const { queries } = (await json(incoming)) as { queries: string[] };
  const contents = `"${queries[0]}"\n${'passage '.repeat(chars / 8)}`;
  setTimeout(() => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ result: [[{ document: { id: '1', contents }, score: 1 }]] }));
  }, searchMs);
}).listen(0, '127.0.0.1');
// A busy machine would otherwise ask on connections that are just being closed.
retrieval.keepAliveTimeout = 120_000;
await once(retrieval, 'listening');

const folder = mkdtempSync(join(tmpdir(), 'coa-bench-rl-'));
const tasks = Array.from({ length: 100 }, (_, nth) => ({
  id: `t${nth}`,
  question: `Which town is ${nth}?`,
  answer: `Town ${nth}`,
}));
writeFileSync(join(folder, 'tasks.jsonl'), tasks.map((task) => `${JSON.stringify(task)}\n`).join(''));
const url = `http://127.0.0.1:${(retrieval.address() as AddressInfo).port}/retrieve`;
writeFileSync(
  join(folder, 'coa.yaml'),
  JSON.stringify({
    tasks: { sources: [{ file: 'tasks.jsonl', profile: 'mhqa' }] },
    tools: { wiki_search: { url } },
  }),
);
const server = spawn(
  process.execPath,
  [resolve(import.meta.dirname, '../bin/coa-distill.js'), 'serve', 'rl', 'coa.yaml', '--port', '0'],
  {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
try {
  await measure(await addressOf(server));
} finally {
  server.kill();
  await once(server, 'exit');
  retrieval.close();
  retrieval.closeAllConnections();
  rmSync(folder, { recursive: true });
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  const [line] = (await once(stdout!, 'data')) as [Buffer];
  return /http:\/\/\S+/.exec(line.toString())![0];
}

async function measure(base: string): Promise<void> {
  const dispatcher = new Agent({ connections: trajectories });
  const durationsMs: { next: number[]; score: number[] } = { next: [], score: [] };
  let retries = 0;
  const post = async (kind: 'next' | 'score', body: object): Promise<Said> => {
    const startedAt = performance.now();
    const answer = await request(`${base}/v1/${kind}`, {
      method: 'POST',
      body: JSON.stringify(body),
      dispatcher,
    });
    const said = (await answer.body.json()) as Said;
    // As loops do.
    if (said.error?.retryable && retries++ < trajectories) return post(kind, body);
    if (answer.statusCode !== 200) throw new Error(JSON.stringify(said));
    durationsMs[kind].push(performance.now() - startedAt);
    return said;
  };
  const ids = await taskIds(folder);
  let isDone = false;
  const watched = watchProcess(server.pid!, () => !isDone);
  const startedAt = performance.now();
  const scores = await Promise.all(
    Array.from({ length: trajectories }, (_, nth) => play(ids[nth % ids.length]!, nth, post)),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  await dispatcher.close();
  isDone = true;
  const { cpuSeconds, peakBytes } = await watched;
  const requests = durationsMs.next.length + durationsMs.score.length;
  console.log(
    `${trajectories} trajectories at once, ${chars} characters a step, search ${searchMs} ms: ${requests} requests in ${seconds.toFixed(1)} s, ${scores.filter((score) => score === 1).length} right, ${retries} asked again`,
  );
  for (const kind of ['next', 'score'] as const) {
    const sorted = durationsMs[kind].toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1]!);
    console.log(`    ${kind}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  }
  console.log(
    `    server: ${((cpuSeconds * 1000) / requests).toFixed(2)} CPU ms a request, peak ${Math.round(peakBytes / 1e6)} MB; load ${loadavg()[0]!.toFixed(1)}`,
  );
}

/** What matters of an answer. */
interface Said {
  readonly text?: string;
  readonly score?: number;
  readonly error?: { readonly retryable: boolean };
}

async function play(
  task_id: string,
  nth: number,
  post: (kind: 'next' | 'score', body: object) => Promise<Said>,
): Promise<number | undefined> {
  const segments: RlSegment[] = [];
  for (let step = 0; step < 3; step++) {
    const thought = `<think>${'thought '.repeat(chars / 8)}</think>\n`;
    const plan = step === 0 ? '<think>I plan.</think>\n<plan>Search.</plan>\n' : '';
    segments.push({ origin: 'model', text: `${plan}${thought}<wiki_search>q ${nth} ${step}</wiki_search>` });
    const { text } = await post('next', { task_id, segments, finish_reason: 'stop' });
    segments.push({ origin: 'environment', text: text! });
  }
  segments.push({ origin: 'model', text: `<think>So.</think>\n<answer>Town ${nth % 100}</answer>` });
  await post('next', { task_id, segments, finish_reason: 'stop' });
  const { score } = await post('score', {
    task_id,
    segments,
    end_reason: 'answer',
    response_tokens: 3 * chars,
    max_response_tokens: 30_720,
  });
  return score;
}

/** The ids of the tasks, in the order of the file. */
async function taskIds(project: string): Promise<string[]> {
  const resources = new Resources();
  const source = await sourceOfConfig(join(project, 'coa.yaml'), { resources });
  const ids = [];
  for await (const { id } of source.tasks) ids.push(id);
  await resources.closeAll();
  return ids;
}
