import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { preprocessAxolotl, tryAxolotl } from './support/axolotl.ts';
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
  const formats = ['axolotl', 'ms_swift'] as const;
  written = await writeRows(path.join(folder, 'dataset'), await provenTrajectories(folder), formats, {
    shard_mb: 1,
  });
});

test.each([
  ['Axolotl gives the segments', () => preprocessAxolotl(written.dataset, 'segments', model)],
  ['Axolotl gives the tokens', () => preprocessAxolotl(written.dataset, 'tokens', model)],
  ['ms-swift gives its messages', () => preprocessMsSwift(written.dataset, model)],
])('%s our labels on every row', async (_, preprocess) => {
  expect(written.rows.length).toBeGreaterThan(560);
  const theirs = await preprocess();
  expect(theirs).toHaveLength(written.rows.length);
  expect(inOrder(theirs)).toEqual(inOrder(written.rows));
});

test.each([
  [
    'Axolotl',
    () => tryAxolotl(written.dataset, 'tokens', model, ['--sequence_len', '200']),
    'which exceeds the maximum 200',
  ],
  ['ms-swift', () => tryMsSwift(written.dataset, model, ['--max_length', '200']), 'MaxLengthError'],
])('%s stops at rows that are too long, which it would otherwise drop', async (_, attempt, says) => {
  const { code, output } = await attempt();
  expect(code).not.toBe(0);
  expect(output).toContain(says);
});
