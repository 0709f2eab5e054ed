import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../cli/support/runCli.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { alpacaRow, cleanText, spoiltText } from './datasetRows.ts';

function project(files: Readonly<Record<string, string>>) {
  const cwd = temporaryFolder();
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(cwd, name), content);
  return { lint: (...args: string[]) => runCli(['lint', ...args], { cwd }) };
}

const spoilt = JSON.stringify([alpacaRow(cleanText), alpacaRow(spoiltText)]);

describe('coa-distill lint', () => {
  test('prints a line for each finding and the totals, and exits with 1 on errors', async () => {
    const { code, stdout, stderr } = await project({ 'sft.json': spoilt }).lint('sft.json');
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^sft\.json: row 2 \(line 1\), text 4:34: warning wrong_layout: /),
      expect.stringMatching(/^sft\.json: row 2 \(line 1\), text 4:34: error afm_bracket_before_tag: /),
      expect.stringMatching(/wrong_layout +warning +1 in 1 row/),
      expect.stringMatching(/afm_bracket_before_tag +error +1 in 1 row/),
      '  profile mhqa: 2 rows, guessed from the tags',
      '2 rows, 1 with errors',
      '',
    ]);
    expect(code).toBe(1);
  });

  test('counts a trajectory once, however many formats hold it, and tells what it passed over', async () => {
    const turns = [
      { role: 'user', content: 'Which?' },
      { role: 'assistant', content: cleanText },
    ];
    const { stdout, stderr } = await project({
      'a.json': JSON.stringify([alpacaRow(cleanText)]),
      'm.jsonl': JSON.stringify({ messages: turns }),
      'tasks.jsonl': JSON.stringify({ question: 'Which?' }),
    }).lint('.');
    expect(stdout).toContain(
      '  a.json: 1 row\n  m.jsonl: 1 row\n2 rows in 2 files (1 distinct), 0 with errors\n',
    );
    expect(stderr).toMatch(/^passed over: .* tasks\.jsonl$/m);
  });

  test('exits with 0 when warnings are all there is', async () => {
    const rows = JSON.stringify([alpacaRow(`${cleanText}\n`)]);
    const { code, stdout } = await project({ 'sft.json': rows }).lint('sft.json');
    expect(stdout).toContain('warning wrong_layout');
    expect(code).toBe(0);
  });

  test('names the side of a pair that a finding is about', async () => {
    const rows = `${JSON.stringify({ prompt: 'Who?', chosen: cleanText, rejected: spoiltText })}\n`;
    const { stdout, code } = await project({ 'pairs.jsonl': rows }).lint('pairs.jsonl');
    expect(stdout).toMatch(/^pairs\.jsonl: row 1 \(line 1\), rejected, text 4:34: error afm_bracket/m);
    expect(stdout).not.toMatch(/, chosen,/);
    expect(code).toBe(1);
  });

  test('writes JSON lines', async () => {
    const { stdout } = await project({ 'sft.json': spoilt }).lint('.', '--json');
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { rule: 'wrong_layout', row: 2 },
      { rule: 'afm_bracket_before_tag', row: 2, file: 'sft.json', file_line: 1 },
      { totals: { rows: 2, rows_with_errors: 1 } },
    ]);
  });
});
