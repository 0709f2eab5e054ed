import { describe, expect, test } from 'vitest';
import { LiveView } from '../../cli/liveView.ts';
import { createLintProgress } from '../../cli/runLint.ts';
import type { LintFinding } from '../../output/lint/finding.ts';
import { findingLine, LintSummary, renderTotals } from '../../output/lint/report/lintSummary.ts';
import { lineColumns } from '../../schemas/coa/parseIssue.ts';

const finding: LintFinding = {
  file: 'data/my set.json',
  row: 3,
  file_line: 7,
  line: 4,
  column: 34,
  offset: 97,
  rule: 'afm_bracket_before_tag',
  severity: 'error',
  profile: 'mhqa',
  message: 'put a line feed between',
};

describe('a finding', () => {
  test('is one line', () => {
    expect(findingLine(finding)).toBe(
      'data/my set.json: row 3 (line 7), text 4:34: error afm_bracket_before_tag: put a line feed between',
    );
    expect(findingLine({ ...finding, file_line: null })).toContain('row 3, text 4:34');
  });

  test('can’t write to the terminal', () => {
    const line = findingLine({ ...finding, message: 'a\u001b[31m\n\u0000\u202e\u2028\ud800z' });
    expect(line).toMatch(/a\\u\{1b\}\[31m\\u\{a\}\\u\{0\}\\u\{202e\}\\u\{2028\}\uFFFDz$/);
  });
});

test('places are counted in one pass, from 1', () => {
  expect(lineColumns('a\nbc\n\nd', [0, 1, 2, 3, 5, 6, 7])).toEqual([
    { line: 1, column: 1 },
    { line: 1, column: 2 },
    { line: 2, column: 1 },
    { line: 2, column: 2 },
    { line: 3, column: 1 },
    { line: 4, column: 1 },
    { line: 4, column: 2 },
  ]);
});

describe('the totals', () => {
  const row = (findings: readonly LintFinding[], guessed: boolean) => ({
    row: 1,
    bytesRead: 1,
    findings,
    profile: { name: 'mhqa', guessed },
    digest: 'of one text',
  });

  test('count rules, rows and profiles', () => {
    const summary = new LintSummary();
    summary.add(row([finding, finding], true), 'a.json');
    summary.add(row([{ ...finding, rule: 'wrong_layout', severity: 'warning' }], true), 'b.json');
    summary.add({ row: 3, bytesRead: 1, findings: [], profile: undefined }, 'b.json');
    expect(summary.totals).toEqual({
      rows: 3,
      rows_with_errors: 1,
      distinct_rows: 2,
      files: [
        { file: 'a.json', rows: 1 },
        { file: 'b.json', rows: 2 },
      ],
      rules: [
        { rule: 'wrong_layout', severity: 'warning', findings: 1, rows: 1 },
        { rule: 'afm_bracket_before_tag', severity: 'error', findings: 2, rows: 1 },
      ],
      profiles: [{ profile: 'mhqa', rows: 2, guessed: 2 }],
    });
    expect(renderTotals(summary.totals)).toBe(
      [
        '  wrong_layout            warning  1 in 1 row',
        '  afm_bracket_before_tag  error    2 in 1 row',
        '  profile mhqa: 2 rows, guessed from the tags',
        '  a.json: 1 row',
        '  b.json: 2 rows',
        '3 rows in 2 files (2 distinct), 1 with errors',
        '',
      ].join('\n'),
    );
  });

  test('say how many profiles were guessed where not all were', () => {
    const summary = new LintSummary();
    summary.add(row([], true), 'a.json');
    summary.add(row([], false), 'a.json');
    expect(renderTotals(summary.totals)).toContain('profile mhqa: 2 rows, 1 of them guessed');
  });
});

test('progress speaks every few seconds, not for every row', () => {
  let now = 0;
  const lines: string[] = [];
  const stop = new AbortController();
  const out = { isTTY: false, columns: 80, write: (text: string) => lines.push(text) > 0 };
  const progress = createLintProgress(stop.signal, new LiveView({ monotonicMs: () => now }, out));
  const file = { path: 'a\u001b.json', name: 'a', isNamed: true, size: 200_000_000 };
  for (let row = 1; row <= 120; row++) {
    now += 100;
    progress.row(file, { row: row * 100, bytesRead: row * 1_000_000 });
  }
  expect(lines).toEqual([
    'a\\u{1b}.json: 25 % (50.0 MB of 200.0 MB), 5,000 rows\n',
    'a\\u{1b}.json: 50 % (100.0 MB of 200.0 MB), 10,000 rows\n',
  ]);
  stop.abort(new Error('stopped'));
  expect(() => progress.row(file, { row: 1, bytesRead: 1 })).toThrow('stopped');
});
