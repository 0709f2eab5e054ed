import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { preprocessAxolotl, tryAxolotl } from './support/axolotl.ts';
import { inOrder } from './support/matchRows.ts';
import { provenTrajectories } from './support/provenTrajectories.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';
import { type WrittenRows, writeRows } from './support/writeRows.ts';

const folder = sharedFolder();
const model = path.join(folder, 'model');
let written: WrittenRows;

beforeAll(async () => {
  await writeModelFolder(model);
  written = await writeRows(path.join(folder, 'dataset'), await provenTrajectories(folder), ['axolotl'], {
    shard_mb: 1,
  });
});

test.each(['segments', 'tokens'] as const)('Axolotl gives the %s our labels on every row', async (form) => {
  expect(written.rows.length).toBeGreaterThan(560);
  const theirs = await preprocessAxolotl(written.dataset, form, model);
  expect(theirs).toHaveLength(written.rows.length);
  expect(inOrder(theirs)).toEqual(inOrder(written.rows));
});

test('Axolotl stops at rows longer than sequence_len, which it would otherwise drop', async () => {
  const { code, output } = await tryAxolotl(written.dataset, 'tokens', model, ['--sequence_len', '200']);
  expect(code).not.toBe(0);
  expect(output).toContain('which exceeds the maximum 200');
});
