import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { RecordLine } from '../../schemas/run/journalLines.ts';
import type { ToolCallEvent, Trace } from '../../schemas/trace.ts';
import { startSiteServer } from '../../tools/site/startSiteServer.ts';
import { runCli } from '../cli/support/runCli.ts';
import { bundledProject, runLines } from './support/bundledProject.ts';

type Traces = RecordLine & { readonly records: readonly Trace[] };

function toolCalls(folder: string): ToolCallEvent[] {
  const traces = runLines<Traces>(folder, 'rollout/records.jsonl').flatMap((line) => line.records);
  return traces.flatMap((trace) => trace.events.filter((event) => event.type === 'tool_call'));
}

test('a fact changed on the site changes the observation, and with it the verdict', async () => {
  const before = bundledProject({ taskIds: ['web-01'], profile: 'web' });
  expect((await runCli(['run'], { cwd: before })).code).toBe(0);
  expect(toolCalls(before).some((call) => call.observation?.includes('Mount Voss'))).toBe(true);
  expect(runLines(before, 'filter/records.jsonl')).toHaveLength(1);

  const after = bundledProject({ taskIds: ['web-01'], profile: 'web' });
  const site = join(after, 'site');
  for (const page of readdirSync(site)) {
    const file = join(site, page);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('Mount Voss', 'Mount Elsewhere'));
  }
  expect((await runCli(['run'], { cwd: after })).code).toBe(2);
  expect(toolCalls(after).some((call) => call.observation?.includes('Mount Elsewhere'))).toBe(true);
  const [dropped] = runLines<LedgerEntry>(after, 'filter/ledger.jsonl');
  expect(dropped).toMatchObject({ kind: 'drop', reason: 'wrong_answer' });
  expect(JSON.stringify(dropped)).toContain('Mount Elsewhere');
});

/** A search service in front of the bundled site that goes away for good after some searches. */
async function dyingSearch(siteFolder: string, searches: number): Promise<string> {
  const site = await startSiteServer({ folder: siteFolder, host: 'atlas.example' });
  onTestFinished(() => site.close());
  let left = searches;
  const server = createServer(async (request, response) => {
    if (left-- <= 0) {
      server.close();
      server.closeAllConnections();
      return;
    }
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk as Buffer);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${site.baseUrl}/search`, {
      method: 'POST',
      headers,
      body: Buffer.concat(body),
    });
    response.writeHead(answer.status, headers).end(await answer.text());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

test('a search server that stops turns its tasks into failures with that cause', async () => {
  const taskIds = ['web-01', 'web-02', 'web-03', 'web-04', 'web-05', 'web-06'];
  const plain = bundledProject({ taskIds, profile: 'web' });
  const base_url = await dyingSearch(join(plain, 'site'), 8);
  const folder = bundledProject({
    taskIds,
    profile: 'web',
    tools: { web_search: { base_url, api_key_env: '', max_retries: 1 } },
  });
  expect((await runCli(['run'], { cwd: folder })).code).toBe(2);
  const ledger = runLines<LedgerEntry>(folder, 'rollout/ledger.jsonl');
  expect(ledger.length).toBeGreaterThan(0);
  for (const entry of ledger) {
    expect(entry).toMatchObject({ kind: 'fail', failure: { cause: 'tool_unavailable', retryable: true } });
  }
  const solved = runLines<Traces>(folder, 'rollout/records.jsonl').length;
  expect(solved + ledger.length).toBe(taskIds.length);
  // No failure became a label: whatever was solved was judged on what the search had still said.
  expect(runLines(folder, 'judge/records.jsonl')).toHaveLength(solved);
});

test('a program that hangs is cut off and recorded, and the task goes on', async () => {
  const scripts = readFileSync(new URL('../../examples/quickstart.script.jsonl', import.meta.url), 'utf8');
  const entries = scripts
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { question: string; flaw: string });
  const { question } = entries.find((entry) => entry.flaw === 'hanging_code')!;
  const tasks = readFileSync(new URL('../../examples/tasks/code.jsonl', import.meta.url), 'utf8');
  const rows = tasks
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; question: string });
  const { id } = rows.find((row) => row.question === question)!;

  const folder = bundledProject({ taskIds: [id], profile: 'code' });
  expect((await runCli(['run'], { cwd: folder })).code).toBe(0);
  const [hung, ...later] = toolCalls(folder);
  expect(hung?.observation).toContain('Time out.');
  expect(hung?.failure).toBeNull();
  expect(hung?.duration_ms).toBeGreaterThan(4900);
  expect(later.length).toBeGreaterThan(0);
  expect(runLines(folder, 'filter/records.jsonl')).toHaveLength(1);
});
