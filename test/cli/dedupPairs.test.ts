import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { runCli } from './support/runCli.ts';

const question = 'Which old river flows past the town of Velnor?';
const rows = [
  { id: '1', question, answer: 'Rhine' },
  { id: '2', question: question.replace('Which', 'What'), golden_answers: ['The Rhine', 'Rhein'] },
  { id: '3', question: question.replace('old', 'the old'), answers: ['Elbe', 7] },
  { id: '4', question: question.toUpperCase() },
  { id: '5', question: question.replace('Velnor', 'Zelmar') },
];

async function dedup(...more: string[]) {
  const cwd = temporaryFolder();
  const out = path.join(cwd, 'out.jsonl');
  writeFileSync(path.join(cwd, 'rows.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const { code, stdout } = await runCli(['dedup', 'rows.jsonl', '--out', out, ...more], { cwd });
  expect(code).toBe(0);
  const ids = readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { id: string }).id);
  return { stdout, ids };
}

test('dedup prints pairs of near duplicates and what they share; rows of other names and answers stay', async () => {
  const { stdout, ids } = await dedup();
  expect(ids).toEqual(['1', '3', '5']);
  expect(stdout).toContain(rows[1]!.question);
  expect(stdout).toMatch(/share 0\.\d\d of their shingles/);
});

test('with --json the pairs are a list', async () => {
  const { stdout } = await dedup('--json');
  const { near_pairs } = JSON.parse(stdout) as { near_pairs: unknown[] };
  expect(near_pairs).toEqual([
    { kept: question, dropped: rows[1]!.question, jaccard: expect.closeTo(0.9, 0) },
  ]);
});
