import { expect, test } from 'vitest';
import { balanceNotes } from '../../../output/dataset/datasetCard.ts';

const counts = { before: 10, after: 4, rows: 6, weight: 5.5 };

test('a table of groups before and after', () => {
  const notes = balanceNotes([{ dimension: 'source', groups: [{ group: 'hotpot', ...counts }] }]);
  expect(notes).toContain('## Balance\n');
  expect(notes).toContain('| by | group | before | after | rows | weight |\n|---|---|---|---|---|---|\n');
  expect(notes).toContain('| source | hotpot | 10 | 4 | 6 | 5.5 |\n');
  expect(balanceNotes(undefined)).toBe('');
});

test('a group’s name can’t be markup, nor end its cell', () => {
  const group = 'a|b\n<img src=x>[c](d)`';
  const notes = balanceNotes([{ dimension: 'source', groups: [{ group, ...counts }] }]);
  expect(notes).toContain('| source | a\\|b \\<img src=x\\>\\[c\\](d)\\` | 10 |');
});

test('a thousand sources are summed up', () => {
  const groups = Array.from({ length: 1_000 }, (_, at) => ({ group: `s${at}`, ...counts }));
  const lines = balanceNotes([{ dimension: 'source', groups }]).split('\n');
  expect(lines).toContain('| source | and 970 more groups | | | | |');
  expect(lines.length).toBeLessThan(50);
});
