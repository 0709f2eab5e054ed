import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { trajectoryOfRow, trajectoryRowSchema } from '../../schemas/trainers/trajectoryRow.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { inOrder } from './support/matchRows.ts';
import { preprocessAxolotl, preprocessLlamaFactory, preprocessMsSwift } from './support/preprocess.ts';
import type { LabelledRow } from './support/savedRows.ts';
import { trapTrajectories } from './support/trapTrajectories.ts';
import { writeLlamaFolder } from './support/writeLlamaFolder.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';
import { type WrittenRows, writeRows } from './support/writeRows.ts';

const folder = sharedFolder();
const qwen = path.join(folder, 'qwen');
const llama = path.join(folder, 'llama');
const allFormats = ['llama_factory', 'axolotl', 'ms_swift'] as const;

beforeAll(async () => {
  await writeModelFolder(qwen);
  await writeLlamaFolder(llama);
});

/** LLaMA-Factory keeps the order of the rows, token for token; the others have one of their own. */
function expectSameRows(theirs: readonly LabelledRow[], { rows }: WrittenRows, keepsOrder = false): void {
  expect(theirs).toHaveLength(rows.length);
  const [a, b] = keepsOrder ? [theirs, rows] : [inOrder(theirs), inOrder(rows)];
  for (const [at, row] of b.entries()) expect(a[at], `row ${at}`).toEqual(row);
}

describe('of the quickstart’s rows, and of 500 full of traps', () => {
  let written: WrittenRows;
  beforeAll(async () => {
    const trajectories = [...(await quickstartTrajectories()), ...trapTrajectories(500).map(withSlots)];
    written = await writeRows(path.join(folder, 'proven'), trajectories, allFormats, { shard_mb: 1 });
    expect(written.rows.length).toBeGreaterThan(560);
  });

  test('LLaMA-Factory gives the text our labels', async () => {
    expectSameRows(await preprocessLlamaFactory(written.dataset, qwen), written, true);
  });

  test.each(['segments', 'tokens'] as const)('Axolotl gives the %s our labels', async (form) => {
    expectSameRows(await preprocessAxolotl(written.dataset, form, qwen), written);
  });

  test('ms-swift gives its messages our labels', async () => {
    expectSameRows(await preprocessMsSwift(written.dataset, qwen), written);
  });

  test('Axolotl and ms-swift stop at rows that are too long, which they would otherwise drop', async () => {
    const cut = ['--sequence_len', '200'];
    await expect(preprocessAxolotl(written.dataset, 'tokens', qwen, cut)).rejects.toThrow(
      'which exceeds the maximum 200',
    );
    const short = ['--max_length', '200'];
    await expect(preprocessMsSwift(written.dataset, qwen, 'qwen2', short)).rejects.toThrow('MaxLengthError');
  });
});

/** Runs the quickstart in the folder; the trajectories of its dataset. */
async function quickstartTrajectories(): Promise<Trajectory[]> {
  const quickstart = fileURLToPath(new URL('../../examples/quickstart.yaml', import.meta.url));
  const run = await runCli(['run', quickstart, '--set', `runs_dir=${path.join(folder, 'runs')}`], {
    cwd: folder,
  });
  expect(run.code, run.stderr).toBe(0);
  const file = path.join(folder, 'runs/quickstart/dataset/trajectories.jsonl');
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => trajectoryOfRow(trajectoryRowSchema.parse(JSON.parse(line))));
}

/** What LLaMA-Factory replaces in a prompt, in some. AFM's layout can't hold it. */
function withSlots(trajectory: Trajectory, at: number): Trajectory {
  return at % 10 === 0 ? { ...trajectory, user: `${trajectory.user} {{idx}} and {{idx}}` } : trajectory;
}

describe('of a tokenizer that adds a beginning of text, and whose tokens cross segments', () => {
  let written: WrittenRows;
  beforeAll(async () => {
    written = await writeRows(path.join(folder, 'llama3'), trapTrajectories(36), allFormats, {
      tokenizer: path.join(llama, 'tokenizer.json'),
      chat_template: 'llama3',
      boundary_tokens: 'apart',
    });
  });

  test('rows have one beginning of text, and borders in tokens are counted', () => {
    const [bos] = written.rows[0]!.input_ids;
    for (const { input_ids } of written.rows) expect(input_ids.lastIndexOf(bos!)).toBe(0);
    expect(written.manifest.boundary_tokens).toBeGreaterThan(5);
  });

  test('all give our labels', async () => {
    const { dataset } = written;
    expectSameRows(await preprocessLlamaFactory(dataset, llama), written, true);
    expectSameRows(await preprocessAxolotl(dataset, 'segments', llama), written);
    expectSameRows(await preprocessMsSwift(dataset, llama, 'llama'), written);
  });
});

test('where thoughts, plans and all but the last two steps are out of the loss, all give our labels', async () => {
  const trajectories = trapTrajectories(120).filter(({ segments }) => segments.length > 4);
  const mask = { thinking: false, tag_weights: { plan: 0 }, last_steps: 2 };
  const masked = await writeRows(path.join(folder, 'masked'), trajectories, ['ms_swift'], { mask });
  const whole = await writeRows(path.join(folder, 'whole'), trajectories, []);
  expect(trainedShare(masked)).toBeLessThan(trainedShare(whole) / 2);
  expectSameRows(await preprocessMsSwift(masked.dataset, qwen), masked);
  // Rows of more than 800 tokens are cut, and have no end of turn then, except for ms-swift.
  const cut = await writeRows(path.join(folder, 'cut'), trajectories, ['llama_factory', 'axolotl'], {
    mask,
    too_long: 'cut',
    cutoff_len: 800,
  });
  expect(cut.manifest.cut_rows).toBeGreaterThan(5);
  expectSameRows(await preprocessLlamaFactory(cut.dataset, qwen), cut, true);
  expectSameRows(await preprocessAxolotl(cut.dataset, 'segments', qwen), cut);
});

function trainedShare({ manifest }: WrittenRows): number {
  return manifest.trained_tokens / manifest.tokens;
}
