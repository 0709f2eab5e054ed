import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fixFile, previewFixes, renderEdits } from '../../output/lint/fix/fixFile.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { collected } from './collected.ts';
import { alpacaRow, cleanText, spoiltText } from './datasetRows.ts';

const options = { profiles: Object.values(builtinProfiles), profile: undefined };

function written(name: string, content: string) {
  const file = path.join(temporaryFolder(), name);
  writeFileSync(file, content);
  return { path: file, name, isNamed: true, size: content.length };
}

test('rewrites the rows that need it and keeps every other byte', async () => {
  const row = (output: string) =>
    `{ "instruction":"A.", "score": 1.0, "id": 12345678901234567890, "output": ${JSON.stringify(output)} }`;
  const file = written('a.json', `\uFEFF[\r\n ${row(cleanText)} ,\n\n ${row(spoiltText)}\n]`);
  const rows = await collected(fixFile(file, options));
  expect(rows.map((fixed) => [fixed.row, fixed.edits.length, fixed.left])).toEqual([
    [1, 0, false],
    [2, 1, false],
  ]);
  const fixed = `{"instruction":"A.","score":1.0,"id":12345678901234567890,"output":${JSON.stringify(cleanText)}}`;
  expect(readFileSync(file.path, 'utf8')).toBe(`\uFEFF[\r\n ${row(cleanText)} ,\n\n ${fixed}\n]`);
  expect(readdirSync(path.dirname(file.path))).toEqual(['a.json']);
});

test('a second time changes nothing, and does not touch the file', async () => {
  const file = written('a.jsonl', `${JSON.stringify(alpacaRow(spoiltText))}\n`);
  await collected(fixFile(file, options));
  const before = lstatSync(file.path, { bigint: true });
  const rows = await collected(fixFile(file, options));
  expect(rows.map((row) => row.edits)).toEqual([[]]);
  expect(lstatSync(file.path, { bigint: true }).mtimeNs).toBe(before.mtimeNs);
  expect(lstatSync(file.path).ino).toBe(Number(before.ino));
});

test('a preview writes nothing and shows the difference with escapes', async () => {
  const content = `${JSON.stringify(alpacaRow(spoiltText.replace('città', 'citta\u0300')))}\n`;
  const file = written('a.jsonl', content);
  const [row] = await collected(previewFixes(file, options));
  expect(readFileSync(file.path, 'utf8')).toBe(content);
  expect(renderEdits({ ...file, path: 'a.jsonl' }, row!)).toBe(
    [
      'a.jsonl: row 1',
      '- servation>\\nA river, citta\\u{300}, Дунай.\\n</observation>\\n',
      '+ servation>\\nA river, citt\\u{e0}, Дунай.\\n</observation>\\n',
      '- rch>Danube</wiki_search><observation>\\nA river, c',
      '+ rch>Danube</wiki_search>\\n<observation>\\nA river, c',
      '',
    ].join('\n'),
  );
});

test('a file that was cut off stays as it is', async () => {
  const content = `[${JSON.stringify(alpacaRow(spoiltText))},{"instr`;
  const file = written('a.json', content);
  await expect(collected(fixFile(file, options))).rejects.toThrow('ends in the middle of row 2');
  expect(readFileSync(file.path, 'utf8')).toBe(content);
  expect(readdirSync(path.dirname(file.path))).toEqual(['a.json']);
});

test('rows in several turns, and trajectories, are left', async () => {
  const [first, second] = [spoiltText.slice(0, 50), spoiltText.slice(50)];
  const chat = {
    conversations: [
      { from: 'human', value: 'x' },
      { from: 'gpt', value: first },
      { from: 'observation', value: second },
    ],
  };
  const trajectory = { profile: 'mhqa', segments: [{ text: spoiltText }] };
  const file = written('a.jsonl', `${JSON.stringify(chat)}\n${JSON.stringify(trajectory)}\n`);
  const before = readFileSync(file.path, 'utf8');
  const rows = await collected(fixFile(file, options));
  expect(rows.map((row) => row.left)).toEqual([true, true]);
  expect(readFileSync(file.path, 'utf8')).toBe(before);
  expect(renderEdits(file, rows[0]!)).toContain('left as it is');
});

test('a chat row keeps its other turns and the end of its turn', async () => {
  const row = (text: string) => ({
    messages: [
      { role: 'user', content: 'a\r\n' },
      { role: 'assistant', content: `${text}<|im_end|>\n`, weight: 1 },
    ],
  });
  const file = written('a.jsonl', `${JSON.stringify(row(spoiltText))}\n`);
  await collected(fixFile(file, options));
  expect(JSON.parse(readFileSync(file.path, 'utf8'))).toEqual(row(cleanText));
});

test('a link stays a link', async () => {
  const file = written('a.jsonl', `${JSON.stringify(alpacaRow(spoiltText))}\n`);
  const link = path.join(path.dirname(file.path), 'link.jsonl');
  symlinkSync(file.path, link);
  await collected(fixFile({ ...file, path: link }, options));
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(file.path, 'utf8'))).toEqual(alpacaRow(cleanText));
});

test('what a killed fix left behind is removed by the next one', async () => {
  const file = written('a.jsonl', `${JSON.stringify(alpacaRow(spoiltText))}\n`);
  const killed = spawnSync(process.execPath, ['-e', '']).pid;
  const left = path.join(path.dirname(file.path), `.a.jsonl.${hostname()}.${killed}.0.tmp`);
  writeFileSync(left, 'half');
  await collected(fixFile(file, options));
  expect(existsSync(left)).toBe(false);
});
