import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import type { RecordLine } from '../../schemas/run/journalLines.ts';
import type { ToolCallEvent, Trace } from '../../schemas/trace.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { examplesFolder } from '../examples/support/examplesFolder.ts';
import { bundledProject, runLines } from './support/bundledProject.ts';
import { startSearch } from './support/startSearch.ts';

const KEY = 'sk-of-the-search';

type Traces = RecordLine & { readonly records: readonly Trace[] };

function toolCalls(folder: string): ToolCallEvent[] {
  const traces = runLines<Traces>(folder, 'rollout/records.jsonl').flatMap((line) => line.records);
  return traces.flatMap((trace) => trace.events.filter((event) => event.type === 'tool_call'));
}

test('a fact changed on the site changes the observation, and with it the verdict', async () => {
  const before = bundledProject({ taskIds: ['web-01'], profile: 'web' });
  await runWell(['run'], { cwd: before });
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

test('a search server that stops turns its tasks into failures with that cause', async () => {
  const taskIds = ['web-01', 'web-02', 'web-03', 'web-04', 'web-05', 'web-06'];
  const search = await startSearch(join(examplesFolder, 'atlas/site'), KEY, (before) => {
    if (before < 8) return undefined;
    void search.close();
    return 503;
  });
  const folder = bundledProject({
    taskIds,
    profile: 'web',
    tools: { web_search: { base_url: search.baseUrl, api_key_env: 'KEY', max_retries: 1 } },
  });
  expect((await runCli(['run'], { cwd: folder, env: { KEY } })).code).toBe(2);
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
  const linesOf = (file: string) =>
    readFileSync(join(examplesFolder, file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, string>);
  const { question } = linesOf('quickstart.script.jsonl').find(({ flaw }) => flaw === 'hanging_code')!;
  const { id } = linesOf('tasks/code.jsonl').find((row) => row.question === question)!;
  const folder = bundledProject({ taskIds: [id!], profile: 'code' });
  await runWell(['run'], { cwd: folder });
  const [hung, ...later] = toolCalls(folder);
  expect(hung?.observation).toContain('Time out.');
  expect(hung?.failure).toBeNull();
  expect(hung?.duration_ms).toBeGreaterThan(4900);
  expect(later.length).toBeGreaterThan(0);
  expect(runLines(folder, 'filter/records.jsonl')).toHaveLength(1);
});
