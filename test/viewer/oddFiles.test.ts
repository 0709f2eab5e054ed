import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listRows } from '../../viewer/exportCopy.ts';
import { Sources } from '../../viewer/server/sources.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const row = (word: string) =>
  JSON.stringify({
    conversations: [
      { from: 'human', value: `Which ${word}?` },
      { from: 'gpt', value: `<think>hm</think><answer>${word}</answer>` },
    ],
  });

/** The path of files that lie in a new folder. */
function written(files: Readonly<Record<string, string | Buffer>>): string {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** What is listed of files: each row by its key and question, and last what was refused. */
async function listed(path: string): Promise<string[]> {
  const lines: string[] = [];
  try {
    for await (const { key, state, question } of listRows(path, ''))
      lines.push([key, state, question].join(' ').trimEnd());
  } catch (error) {
    lines.push((error as Error).message.replace(path, 'PATH'));
  }
  return lines;
}

test('lines are rows whatever is around them, and broken ones are shown as such', async () => {
  const lines = [
    `\uFEFF${row('one')}\r`,
    '',
    ' \r',
    row('two'),
    '{"conversations": [',
    row('six').slice(0, 40),
  ];
  const name = '名前 \u202E#?&%.jsonl';
  expect(await listed(join(written({ [name]: lines.join('\n') }), name))).toEqual([
    `${name}:1 kept Which one?`,
    `${name}:2 kept Which two?`,
    `${name}:3 failed {"conversations": [`,
    expect.stringContaining('ends in the middle of row 4'),
  ]);
});

test('of a list that is cut off the rows before are shown, and what is wrong is told', async () => {
  const path = join(written({ 'cut.json': `[${row('one')},\n${row('two')},\n{"conv` }), 'cut.json');
  const expected = [
    'cut.json:1 kept Which one?',
    'cut.json:2 kept Which two?',
    expect.stringMatching(/^PATH: /),
  ];
  expect(await listed(path)).toEqual(expected);
  const sources = await Sources.find([path]);
  const source = await sources.open('cut.json');
  await source.live.grow();
  expect((await source.record(1)).trajectory?.question).toBe('Which two?');
  await sources.close();
});

test('files of one name are told apart, and a folder may hold other files', async () => {
  const folder = written({
    'a/train.jsonl': row('one'),
    'b/train.jsonl': row('two'),
    'b/dataset_info.json': '{\n  "train": {}\n}',
    'empty.jsonl': '',
    'notes.json': 'hello',
    'rates.jsonl': '{"question":"Which?"}\n',
  });
  expect(await listed(folder)).toEqual([
    'a/train.jsonl:1 kept Which one?',
    'b/train.jsonl:1 kept Which two?',
  ]);
});

test.each([
  ['', 'the file is empty'],
  ['\n \n', 'holds no rows'],
  [Buffer.from([0x1f, 0x8b, 8, 0, 0]), 'found a gzip file'],
])('a file without rows says why: %j', async (content, why) => {
  expect(await listed(join(written({ 'odd.jsonl': content }), 'odd.jsonl'))).toEqual([
    expect.stringContaining(why),
  ]);
});
