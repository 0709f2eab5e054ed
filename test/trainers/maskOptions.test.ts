import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { preprocessAxolotl } from './support/axolotl.ts';
import { preprocessText } from './support/llamaFactory.ts';
import { inOrder } from './support/matchRows.ts';
import { preprocessMsSwift } from './support/msSwift.ts';
import { trapTrajectories } from './support/trapTrajectories.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';
import { type WrittenRows, writeRows } from './support/writeRows.ts';

// Thoughts, plans and all but the last two steps are out of the loss. Rows of more than 800 tokens are cut, and have no
// end of turn then, except for ms-swift.

const folder = sharedFolder();
const model = path.join(folder, 'model');
const trajectories = trapTrajectories(120).filter(({ segments }) => segments.length > 4);
const mask = { thinking: false, tag_weights: { plan: 0 }, last_steps: 2 };
let masked: WrittenRows;
let cut: WrittenRows;

const trainedShare = ({ manifest }: WrittenRows): number => manifest.trained_tokens / manifest.tokens;

beforeAll(async () => {
  await writeModelFolder(model);
  masked = await writeRows(path.join(folder, 'masked'), trajectories, ['ms_swift'], { mask });
  const whole = await writeRows(path.join(folder, 'whole'), trajectories, []);
  expect(trainedShare(masked)).toBeLessThan(trainedShare(whole) / 2);
  cut = await writeRows(path.join(folder, 'cut'), trajectories, ['llama_factory', 'axolotl'], {
    mask,
    too_long: 'cut',
    cutoff_len: 800,
  });
  expect(cut.manifest.cut_rows).toBeGreaterThan(5);
});

test('LLaMA-Factory gives the text our labels', async () => {
  const theirs = await preprocessText(path.join(folder, 'llama-factory'), cut.dataset, model);
  expect(theirs).toEqual(cut.rows);
});

test('Axolotl gives the segments our labels', async () => {
  const theirs = await preprocessAxolotl(cut.dataset, 'segments', model);
  expect(inOrder(theirs)).toEqual(inOrder(cut.rows));
});

test('ms-swift gives its messages our labels', async () => {
  const theirs = await preprocessMsSwift(masked.dataset, model);
  expect(inOrder(theirs)).toEqual(inOrder(masked.rows));
});
