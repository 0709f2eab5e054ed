import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Journal } from '../../base/journal/journal.ts';
import { scanJournal } from '../../base/journal/scanJournal.ts';
import { linkStages } from '../../operations/variant/makeVariant.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const line = '{"index":0}\n';
let folders: readonly [string, string];

beforeEach(async () => {
  const [from, to] = [join(temporaryFolder(), 'a'), join(temporaryFolder(), 'b')];
  for (const stage of ['judge', 'filter', 'teacher']) {
    mkdirSync(join(from, stage), { recursive: true });
    for (const name of ['records', 'ledger', 'requests'])
      writeFileSync(join(from, stage, `${name}.jsonl`), line);
  }
  await linkStages(from, to, ['judge', 'export']);
  folders = [from, to];
});

test('a run that goes on with a journal leaves the other as it was', async () => {
  const file = 'judge/records.jsonl';
  for (const [own, other] of [folders, folders.toReversed()] as const) {
    const before = readFileSync(join(other!, file), 'utf8');
    const journal = await Journal.open(join(own!, file), line.length);
    journal.append({ index: 1 });
    await journal.close();
    expect(readFileSync(join(other!, file), 'utf8')).toBe(before);
    expect(readFileSync(join(own!, file), 'utf8')).toMatch(/\{"index":1[,}]/);
  }
});

test('what an embedded teacher wrote stays with the run that it played for', () => {
  expect(existsSync(join(folders[0], 'teacher'))).toBe(true);
  expect(existsSync(join(folders[1], 'teacher'))).toBe(false);
});

test('a torn line is cut off in one run alone', async () => {
  const [from, to] = folders;
  appendFileSync(join(from, 'judge/ledger.jsonl'), '{"torn');
  expect(await scanJournal(join(to, 'judge/ledger.jsonl'), () => {})).toBe(line.length);
  expect(readFileSync(join(to, 'judge/ledger.jsonl'), 'utf8')).toBe(line);
  expect(readFileSync(join(from, 'judge/ledger.jsonl'), 'utf8')).toBe(`${line}{"torn`);
});

test('only the stages asked for are taken over', () => {
  expect(() => readFileSync(join(folders[1], 'filter/records.jsonl'))).toThrow('ENOENT');
  expect(readFileSync(join(folders[1], 'judge/records.jsonl'), 'utf8')).toBe(line);
});
