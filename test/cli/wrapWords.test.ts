import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTable } from '../../cli/format.ts';
import { LiveView } from '../../cli/liveView.ts';
import { liveLines } from '../../cli/progress/progressLine.ts';
import { valueLines } from '../../cli/whyFromCommandLine.ts';
import { lengthOf, wrapWords } from '../../cli/wrapWords.ts';

const word = fc.stringMatching(/^[a-z_,.:]{1,14}$/);
const line = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => words.join(' '));
const wordsOf = (text: string) => text.split(/\s+/).filter((part) => part !== '');

test('a wrapped line has the same words, none of them broken, in lines that are short enough', () => {
  fc.assert(
    fc.property(line, fc.integer({ min: 20, max: 140 }), (text, width) => {
      const lines = wrapWords(text, width);
      expect(wordsOf(lines.join(' '))).toEqual(wordsOf(text));
      for (const one of lines) expect(one.length).toBeLessThanOrEqual(width);
    }),
  );
});

test.each([
  [
    'a name stays with its number',
    'reasons: invalid_grammar 3, too_few 12',
    27,
    ['reasons: invalid_grammar 3,', 'too_few 12'],
  ],
  [
    'a command can be pasted',
    '  there is no dataset; finish it with: npx coa-distill run coa.yaml --name try',
    50,
    ['  there is no dataset; finish it with:', '  npx coa-distill run coa.yaml --name try'],
  ],
  [
    'a listing can be pasted',
    '  see what trainers read  ls runs/a/dataset',
    36,
    ['  see what trainers read', '  ls runs/a/dataset'],
  ],
  [
    'an installation can be pasted',
    'absent  trainer trl: fix: python3 -m venv .venv-trl && .venv-trl/bin/pip install trl',
    40,
    ['absent  trainer trl: fix:', '        python3 -m venv .venv-trl && .venv-trl/bin/pip install trl'],
  ],
  ['a longer command stays whole', 'now: coa-distill run coa.yaml', 12, ['now:', 'coa-distill run coa.yaml']],
  [
    'a first column keeps its place',
    'filter        dropped for a reason that takes many words',
    40,
    ['filter        dropped for a reason that', '              takes many words'],
  ],
  [
    "the program's name in prose is not a command, and a coloured first column keeps its place",
    '\u001b[32mok     \u001b[39m tokenizer: encoded by coa-distill · for token counts and masks',
    45,
    ['\u001b[32mok     \u001b[39m tokenizer: encoded by coa-distill ·', '        for token counts and masks'],
  ],
])('%s', (_what, text, width, lines) => {
  expect(wrapWords(text, width)).toEqual(lines);
});

test('colours take no room', () => {
  const text = `\u001b[31m${'word '.repeat(10)}\u001b[39mend`;
  expect(wrapWords(text, 60)).toEqual([text]);
  for (const one of wrapWords(text, 20)) expect(lengthOf(one)).toBeLessThanOrEqual(20);
});

test('a table fits the terminal: words of its widest column go on below, light columns are left out by name', () => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 50, max: 140 }),
      (texts, width) => {
        const table = formatTable(
          [['stage', 'in', 'reasons'], ...texts.map((text, at) => [`s${at}`, at, text])],
          { width },
        );
        for (const one of table) expect(one.length).toBeLessThanOrEqual(width);
        expect(wordsOf(table.join(' ')).toSorted()).toEqual(
          wordsOf(`stage in reasons ${texts.map((text, at) => `s${at} ${at} ${text}`).join(' ')}`).toSorted(),
        );
      },
    ),
  );
  const long = 'x'.repeat(30);
  const rows = [
    ['run', 'state', 'spent'],
    [long, long, long],
  ];
  const narrow = formatTable(rows, { width: 70, weights: [3, 2, 1] });
  expect(narrow.slice(0, 2).every((one) => one.length <= 70)).toBe(true);
  expect(narrow.at(-1)).toContain('spent');
  expect(formatTable(rows)).toHaveLength(2);
});

test('a table of many columns fits too: no word is broken, and what is left out is named', () => {
  const word = fc.stringMatching(/^[a-z]{1,18}$/);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(word, word, word, word, word, fc.nat(9_999), word), { minLength: 2, maxLength: 4 }),
      (rows) => {
        const head = ['aa', 'bb', 'cc', 'dd', 'ee', 'ff', 'gg'];
        const table = formatTable(
          [head, ...rows.map((row) => [...row.slice(0, 5).map(String), row[5], row[6]])],
          {
            width: 80,
          },
        );
        for (const one of table.filter((text) => !text.startsWith('not shown')))
          expect(one.length).toBeLessThanOrEqual(80);
        const shown = head.filter((name) => !table.at(-1)!.includes(name));
        for (const row of rows)
          for (const [at, cell] of row.entries())
            if (shown.includes(head[at]!) && typeof cell === 'string')
              expect(table.some((text) => text.split(/ +/).includes(cell))).toBe(true);
      },
    ),
  );
  // A command in a table of two columns stays, however narrow the terminal is.
  const command = `coa-distill status ${'x'.repeat(60)}`;
  expect(formatTable([['see how far it is', command]], { width: 60 }).join('')).toContain(command);
});

test('live lines keep retries and spending at 80 columns, and are taken away whole', () => {
  const written: string[] = [];
  const out = { isTTY: true, columns: 80, write: (text: string) => written.push(text) > 0 };
  const view = new LiveView({ monotonicMs: () => 0 }, out);
  const state = {
    ...{ stage: 'rollout', total: 12_000, done: 3_210, doneNow: 3_210, kept: 2_900, dropped: 0, failed: 310 },
    ...{ tokens: 123_456_789, costUsd: 1_234.56, elapsedMs: 3_600_000, leftMs: 7_200_000, concurrency: 64 },
    requests: { answered: 45_678, inFlight: 64, retries: 1_234, lastRetry: 'endpoint_rate_limited' as const },
  };
  view.show(liveLines(state));
  const lines = written.at(-1)!.replace('\r\u001b[J', '').split('\n');
  for (const one of lines) expect(one.length).toBeLessThan(80);
  expect(wordsOf(lines.join(' ')).join(' ')).toContain('1,234 retries (last: endpoint_rate_limited)');
  expect(wordsOf(lines.join(' ')).join(' ')).toContain('$1234.56');
  view.clear();
  expect(written.at(-1)).toBe(`\r\u001b[${lines.length - 1}A\u001b[J`);
});

test('why says values as lines: each by its path, the short ones beside each other', () => {
  const value = {
    judge: 'exact_match',
    score: 0,
    compared: [{ gold: 'a', all: ['b', 'c'] }],
    left: null,
    none: [],
  };
  expect(valueLines(value)).toEqual([
    'judge: exact_match · score: 0 · compared.gold: a',
    'compared.all: b, c · left: none',
  ]);
  const fault = (offset: number) => ({ code: 'nested_tag', offset, message: 'a tag in a tag' });
  expect(
    valueLines({ breaches: [fault(3), fault(9), { ...fault(20), message: 'other' }, fault(30)] }),
  ).toEqual([
    'breaches.0.code: nested_tag · breaches.0.offset: 3',
    'breaches.0.message: a tag in a tag',
    'breaches.0: 2 more like it · breaches.2.code: nested_tag',
    'breaches.2.offset: 20 · breaches.2.message: other',
  ]);
  expect(valueLines({ list: [{ a: 1 }, { a: 2 }], long: 'w '.repeat(60).trim() })).toEqual([
    'list.0.a: 1 · list.1.a: 2',
    `long: ${'w '.repeat(60).trim()}`,
  ]);
});
