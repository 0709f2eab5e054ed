import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { preprocessAxolotl } from './support/axolotl.ts';
import { preprocessText } from './support/llamaFactory.ts';
import { inOrder } from './support/matchRows.ts';
import { preprocessMsSwift } from './support/msSwift.ts';
import { trapTrajectories } from './support/trapTrajectories.ts';
import { writeLlamaFolder } from './support/writeLlamaFolder.ts';
import { type WrittenRows, writeRows } from './support/writeRows.ts';

const folder = sharedFolder();
const model = path.join(folder, 'model');
let written: WrittenRows;

beforeAll(async () => {
  await writeLlamaFolder(model);
  const formats = ['llama_factory', 'axolotl', 'ms_swift'] as const;
  written = await writeRows(path.join(folder, 'dataset'), trapTrajectories(36), formats, {
    tokenizer: path.join(model, 'tokenizer.json'),
    chat_template: 'llama3',
    boundary_tokens: 'apart',
  });
});

describe('a tokenizer that adds a beginning of text, and whose tokens cross segments', () => {
  test('gives rows one beginning of text, and bordersInTokens that are counted', () => {
    const [bos] = written.rows[0]!.input_ids;
    expect(written.rows.map(({ input_ids }) => input_ids.lastIndexOf(bos!))).toEqual(
      written.rows.map(() => 0),
    );
    expect(written.manifest.boundary_tokens).toBeGreaterThan(5);
  });

  test('LLaMA-Factory gives the text our labels', async () => {
    const theirs = await preprocessText(path.join(folder, 'llama-factory'), written.dataset, model);
    expect(theirs).toEqual(written.rows);
  });

  test('Axolotl gives the segments our labels', async () => {
    const theirs = await preprocessAxolotl(written.dataset, 'segments', model);
    expect(inOrder(theirs)).toEqual(inOrder(written.rows));
  });

  test('ms-swift gives its messages our labels', async () => {
    const theirs = await preprocessMsSwift(written.dataset, model, 'llama');
    expect(inOrder(theirs)).toEqual(inOrder(written.rows));
  });
});
