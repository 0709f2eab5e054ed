import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { CheckTotals } from '../../output/check/rules.ts';
import type { Manifest } from '../../schemas/manifest.ts';
import type { LedgerEntry } from '../../schemas/outcome.ts';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { runLines } from './support/bundledProject.ts';
import { sharedFolder } from './support/sharedFolder.ts';

const capitals = ['France', 'Japan', 'Peru', 'Kenya', 'Norway', 'Egypt'].map((country, at) => ({
  question: `What is the capital of ${country}?`,
  answer: ['Paris', 'Tokyo', 'Lima', 'Nairobi', 'Oslo', 'Cairo'][at]!,
}));
const passages = [
  '"Kestrel Bridge"\nThe Kestrel Bridge crosses the Ash at Candlewick in nine spans.',
  '"Ash"\nThe Ash rises in the Vell hills and reaches the sea behind the Kestrel Bridge.',
];

const cwd = sharedFolder();

/** A teacher that searches, finds a bridge, and answers from memory. */
function solution({ question, answer }: (typeof capitals)[number]) {
  const look = (query: string) => ({
    action: 'tool',
    tool: 'wiki_search',
    think: 'I look.',
    input: { query },
  });
  return {
    question,
    profile: 'mhqa',
    flaw: null,
    steps: [
      { action: 'plan', think: 'I plan.', plan: 'Search for it.' },
      ...[question, `bridge of ${answer}`, 'the ash and its bridge'].map(look),
      { action: 'answer', think: 'I know it.', answer },
    ],
  };
}

beforeAll(() => {
  const lines = (rows: readonly object[]) => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  write('tasks.jsonl', lines(capitals));
  write('passages.jsonl', lines(passages.map((contents, at) => ({ id: `${at}`, contents }))));
  write('script.jsonl', lines(capitals.map(solution)));
  const config = {
    tasks: { sources: [{ file: 'tasks.jsonl', profile: 'mhqa' }] },
    teacher: { backend: 'scripted', script: 'script.jsonl' },
    tools: { wiki_search: { corpus: 'passages.jsonl' } },
  };
  write('coa.yaml', stringify(config));
});

test('tasks that the corpus does not know are told before the run, and their answers dropped', async () => {
  const { stdout: planned } = await runCli(['run', 'coa.yaml', '--dry-run'], { cwd });
  expect(planned).toContain('UNGROUNDED: 6 of 6 ');
  const { stdout, code } = await runCli(['run', 'coa.yaml'], { cwd });
  expect(code).toBe(2);
  expect(stdout).toContain('UNGROUNDED: 0 of 6 ');
  const ledger = runLines<LedgerEntry>(cwd, 'filter/ledger.jsonl');
  expect(ledger.map((entry) => entry.kind === 'drop' && entry.reason)).toEqual(
    capitals.map(() => 'ungrounded'),
  );
});

test('they are kept where that is asked for, and told in manifest, card, show and check', async () => {
  await runWell(['refilter', 'coa', '--set', 'filters.grounding.drop=false'], { cwd });
  const dataset = join(cwd, 'runs/coa-2/dataset');
  const manifest = JSON.parse(readFileSync(join(dataset, 'manifest.json'), 'utf8')) as Manifest;
  expect(manifest.grounding).toEqual({ grounded: 0, ungrounded: 6, exempt: 0, looks: 18, empty_looks: 0 });
  expect(readFileSync(join(dataset, 'README.md'), 'utf8')).toContain('0 of 6 answers');
  const { stdout: shown } = await runWell(['show', 'coa-2', 'train:0'], { cwd });
  expect(shown).toContain('grounding: ungrounded');
  const { stdout: checked } = await runWell(['check', 'coa-2', '--json'], { cwd });
  const totals = JSON.parse(checked.trim().split('\n').at(-1)!) as { totals: CheckTotals };
  expect(totals.totals.by_rule).toMatchObject({ ungrounded_answer: 24 });
});
