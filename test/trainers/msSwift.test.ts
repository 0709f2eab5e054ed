import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { inOrder } from './support/matchRows.ts';
import { preprocessMsSwift, tryMsSwift } from './support/msSwift.ts';
import { provenTrajectories } from './support/provenTrajectories.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';
import { type WrittenRows, writeRows } from './support/writeRows.ts';

const folder = sharedFolder();
const model = path.join(folder, 'model');
let written: WrittenRows;

beforeAll(async () => {
  await writeModelFolder(model);
  written = await writeRows(path.join(folder, 'dataset'), await provenTrajectories(folder), ['ms_swift'], {
    shard_mb: 1,
  });
});

test('ms-swift gives its messages our labels on every row', async () => {
  expect(written.rows.length).toBeGreaterThan(560);
  const theirs = await preprocessMsSwift(written.dataset, model);
  expect(theirs).toHaveLength(written.rows.length);
  expect(inOrder(theirs)).toEqual(inOrder(written.rows));
});

test('ms-swift stops at rows longer than max_length, which it would otherwise leave out', async () => {
  const { code, output } = await tryMsSwift(written.dataset, model, ['--max_length', '200']);
  expect(code).not.toBe(0);
  expect(output).toContain('MaxLengthError');
});
