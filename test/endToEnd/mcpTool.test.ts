import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { ToolCallEvent, Trace } from '../../schemas/trace.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { runCli, runRefused } from '../cli/support/runCli.ts';
import { folderHashes } from '../support/folderHashes.ts';
import { hostilePage } from '../tools/support/mcpCatalogueTools.ts';
import { programBeside } from '../tools/support/mcpServers.ts';
import { type McpHttpServer, startMcpHttpServer } from '../tools/support/startMcpHttpServer.ts';
import { runLines } from './support/bundledProject.ts';
import { catalogueProfiles, comparingSteps, lampSteps, lookUp } from './support/catalogueProfile.ts';
import { sharedFolder } from './support/sharedFolder.ts';

const questions = ['Which is dearer, the lamp or the chair?', 'Is it the lamp or the chair that is dearer?'];
const solutions = questions.map((question) => ({
  question,
  profile: 'catalogue',
  flaw: null,
  steps: [
    ...lampSteps(
      'Now the lamp, since {{missing}} is none.',
      lookUp('A name that is not there.', 'table', { missing: 'no product (\\w+)' }),
    ),
    ...comparingSteps('"dearer":"(\\w+)"'),
  ],
}));

const cwd = sharedFolder();
const broken = join(cwd, 'broken');
let service: McpHttpServer;

/** `look_up` is a tool of a program on this machine, `compare` one of a service. */
function writeProject(): void {
  const config = {
    profiles: catalogueProfiles,
    tasks: { sources: [{ file: 'tasks.jsonl', profile: 'catalogue' }] },
    teacher: {
      backend: 'scripted',
      script: 'script.jsonl',
      concurrency: 1,
      model: { model: 'scripted-teacher', endpoint: { max_retries: 0 } },
    },
    tools: {
      wiki_search: { corpus: 'passages.jsonl' },
      mcp: {
        servers: {
          shelf: {
            command: process.execPath,
            args: [programBeside('mcpCatalogue.ts'), '--refuse-file', 'broken'],
            env: ['CATALOGUE_TOKEN'],
          },
          remote: { url: service.url, api_key_env: 'REMOTE_KEY' },
        },
        tools: { look_up: { server: 'shelf', tool: 'get_product' }, compare: { server: 'remote' } },
      },
    },
    filters: { duplicate_questions: 'keep' },
  };
  const write = (name: string, content: string) => writeFileSync(join(cwd, name), content);
  write('coa.yaml', stringify(config));
  write(
    'tasks.jsonl',
    questions.map((question) => `${JSON.stringify({ question, answer: 'lamp' })}\n`).join(''),
  );
  write('passages.jsonl', `${JSON.stringify({ id: '1', contents: '"Lamp"\nA lamp.' })}\n`);
  write('script.jsonl', solutions.map((solution) => `${JSON.stringify(solution)}\n`).join(''));
}

const env = { CATALOGUE_TOKEN: 'token-of-its-own-0123456789', REMOTE_KEY: 'sk-a-key-of-the-service-012345' };
const cli = (...args: string[]) => runCli(args, { cwd, env });
const rows = () => runLines<Trajectory>(cwd, 'dataset/trajectories.jsonl');

beforeAll(async () => {
  service = await startMcpHttpServer();
  writeProject();
});
afterAll(() => service.close());

test('a server that ends in the middle of the run is a failure of the tasks with that cause', async () => {
  writeFileSync(broken, '');
  const run = await cli('run', '--json');
  expect(run.code, run.stderr).toBe(2);
  const rollout = JSON.parse(run.stdout).funnel.find((row: { stage: string }) => row.stage === 'rollout');
  expect(rollout).toMatchObject({ entered: 2, emitted: 0, failed: { tool_unavailable: 2 } });
  expect(JSON.parse(run.stdout).tools).toMatchObject([{ tool: 'look_up', calls: 2, cached: 0, failed: 2 }]);
  const entries = runLines<Extract<LedgerEntry, { kind: 'fail' }>>(cwd, 'rollout/ledger.jsonl');
  for (const { failure, partial } of entries) {
    expect(failure).toMatchObject({
      cause: 'tool_unavailable',
      message: 'look_up: the MCP server shelf ended with status 7: the disk with the catalogue is gone',
      retryable: true,
      evidence: { tool: 'look_up', server: 'shelf' },
    });
    const last = (partial as unknown as Pick<Trace, 'events'>).events.at(-1);
    expect(last).toMatchObject({ type: 'tool_call', observation: null, raw: null, cached: false, failure });
  }
});

test('the run goes on where it was when the server works again', async () => {
  rmSync(broken);
  const run = await cli('run', '--retry', 'failed', '--json');
  expect(run.code, run.stderr).toBe(0);
  const rollout = JSON.parse(run.stdout).funnel.find((row: { stage: string }) => row.stage === 'rollout');
  expect(rollout).toMatchObject({ entered: 2, emitted: 2, failed: {} });
  const times = { p50_ms: expect.any(Number), p99_ms: expect.any(Number) };
  expect(JSON.parse(run.stdout).tools).toEqual([
    { tool: 'compare', calls: 2, cached: 1, failed: 0, ...times },
    { tool: 'look_up', calls: 4, cached: 2, failed: 0, ...times },
  ]);
  expect(rows()).toHaveLength(2);
});

test('every call is an event: what came, what was shown, whether the cache answered', () => {
  const calls = tracedCalls();
  for (const events of calls) {
    expect(events.map(({ tool, failure }) => [tool, failure])).toEqual([
      ['look_up', null],
      ['look_up', null],
      ['compare', null],
    ]);
    expect(events[0]).toMatchObject({
      observation: 'there is no product table',
      raw: { isError: true, content: [{ type: 'text', text: 'there is no product table' }] },
    });
    expect(events[1]).toMatchObject({ observation: hostilePage });
  }
  // One task at a time: the second asks what the first has asked.
  expect(calls.map((events) => events.map(({ cached }) => cached))).toEqual([
    [false, false, false],
    [true, true, true],
  ]);
});

/** The tool calls of each task's trace, in the order in which the tasks ended. */
function tracedCalls(): ToolCallEvent[][] {
  const lines = runLines<{ records: Trace[] }>(cwd, 'rollout/records.jsonl');
  return lines
    .flatMap(({ records }) => records)
    .map(({ events }) => events.filter((event) => event.type === 'tool_call'));
}

test('the service got its own key', () => {
  expect(service.headers.at(-1)?.authorization).toBe(`Bearer ${env.REMOTE_KEY}`);
});

test('the run is replayed to the same bytes without server, key and network', async () => {
  const before = folderHashes(join(cwd, 'runs/coa/dataset'));
  writeFileSync(broken, '');
  const asked = service.headers.length;
  const replay = await runCli(['run', '--from', 'rollout', '--offline'], { cwd });
  rmSync(broken);
  expect(replay.code, replay.stderr).toBe(0);
  expect(folderHashes(join(cwd, 'runs/coa/dataset'))).toEqual(before);
  expect(service.headers).toHaveLength(asked);
  expect(
    tracedCalls()
      .flat()
      .map(({ cached }) => cached),
  ).toEqual(Array(6).fill(true));
});

test('without the definition that was kept, offline says what is missing', async () => {
  mkdirSync(join(cwd, 'other'), { recursive: true });
  using cache = new DatabaseSync(join(cwd, 'runs/coa/cache.sqlite'));
  cache.exec("DELETE FROM answers WHERE name = 'compare'");
  await runRefused(
    ['run', '--from', 'rollout', '--offline'],
    { cwd },
    /--offline: the cache holds no answer to what compare is/,
  );
});
