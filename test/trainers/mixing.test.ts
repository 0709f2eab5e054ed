import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { ignoredLabel } from '../../schemas/rows/tokens.ts';
import { trajectoryOfRow, trajectoryRowSchema } from '../../schemas/trainers/trajectoryRow.ts';
import { runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { qwen } from '../output/support/qwen.ts';
import { encodedStretches, ownLayouts, ownRows, tokenStretches, writeRowFile } from '../support/ownRows.ts';
import { inOrder } from './support/matchRows.ts';
import { preprocessLlamaFactory } from './support/preprocess.ts';
import type { LabelledRow } from './support/savedRows.ts';
import { loadTrlRows } from './support/trl.ts';
import { loadVerlRows } from './support/verl.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';
import { writeRows } from './support/writeRows.ts';

const folder = sharedFolder();
const model = path.join(folder, 'model');
const own = path.join(folder, 'own');
const dataset = path.join(folder, 'runs/quickstart/dataset');
const OF_EACH_LAYOUT = 125;

/** Every row as it would be alone. */
let alone: LabelledRow[];

beforeAll(async () => {
  await writeModelFolder(model);
  mkdirSync(own);
  const files = [];
  for (const layout of ownLayouts)
    files.push(writeRowFile(path.join(own, `${layout}.jsonl`), await ownRows(layout, OF_EACH_LAYOUT, qwen)));
  await runQuickstart(files);
  alone = [...(await generatedAlone()), ...(await textsAlone()), ...(await tokensAlone())];
});

/** Runs the quickstart with rows of one's own. */
async function runQuickstart(files: readonly string[]): Promise<void> {
  const quickstart = fileURLToPath(new URL('../../examples/quickstart.yaml', import.meta.url));
  const settings = [
    `runs_dir=${path.join(folder, 'runs')}`,
    `dataset.mix=${JSON.stringify(files.map((file) => ({ file })))}`,
    'dataset.formats=[llama_factory, hugging_face, verl]',
  ];
  const args = settings.flatMap((setting) => ['--set', setting]);
  const run = await runCli(['run', quickstart, ...args], { cwd: folder });
  expect(run.code, run.stderr).toBe(0);
}

/** The run's own rows, in a dataset without mixed ones. */
async function generatedAlone(): Promise<readonly LabelledRow[]> {
  const lines = (await readFile(path.join(dataset, 'trajectories.jsonl'), 'utf8')).trimEnd().split('\n');
  const trajectories = lines.map((line) => trajectoryOfRow(trajectoryRowSchema.parse(JSON.parse(line))));
  return (await writeRows(path.join(folder, 'alone'), trajectories, [])).rows;
}

/** Reading by stock LLaMA-Factory of the texts with Qwen's template; it does not read masks of turns. */
async function textsAlone(): Promise<LabelledRow[]> {
  // Tags that are left out would become None.
  const turns = (column: string, roles: readonly string[]) => ({
    file_name: `${column === 'messages' ? 'messages' : 'sharegpt'}.jsonl`,
    formatting: 'sharegpt',
    columns: { messages: column },
    tags: Object.fromEntries(
      ['role', 'content', 'user', 'assistant', 'observation', 'function', 'system'].map((tag, at) => [
        `${tag}_tag`,
        roles[at],
      ]),
    ),
  });
  const info = {
    messages: turns('messages', ['role', 'content', 'user', 'assistant', 'tool', 'call', 'system']),
    sharegpt: turns('conversations', ['from', 'value', 'human', 'gpt', 'observation', 'call', 'system']),
    alpaca: {
      file_name: 'alpaca.jsonl',
      columns: {
        prompt: 'instruction',
        query: 'input',
        response: 'output',
        system: 'system',
        history: 'history',
      },
    },
  };
  writeFileSync(path.join(own, 'dataset_info.json'), JSON.stringify(info));
  const changed = ['dataset=messages,sharegpt,alpaca', 'template=qwen'];
  const rows = await preprocessLlamaFactory(dataset, model, { folder: own, changed });
  expect(rows).toHaveLength(3 * OF_EACH_LAYOUT);
  return rows.map((row, at) =>
    at < 2 * OF_EACH_LAYOUT && (at % OF_EACH_LAYOUT) % 3 === 0 ? withoutFirstAnswer(row) : row,
  );
}

/** A row whose mask leaves the first answer out. */
function withoutFirstAnswer({ input_ids, labels }: LabelledRow): LabelledRow {
  const from = labels.findIndex((label) => label !== ignoredLabel);
  const to = labels.indexOf(ignoredLabel, from);
  return { input_ids, labels: labels.map((label, at) => (at < to ? ignoredLabel : label)) };
}

async function tokensAlone(): Promise<LabelledRow[]> {
  return Promise.all(
    Array.from({ length: OF_EACH_LAYOUT }, async (_, at) => {
      const { ids, mask } = await encodedStretches(tokenStretches(at), qwen);
      return { input_ids: ids, labels: ids.map((id, token) => (mask[token] ? id : ignoredLabel)) };
    }),
  );
}

function expectAlone(rows: readonly LabelledRow[]): void {
  expect(rows).toHaveLength(alone.length);
  const [theirs, ours] = [inOrder(rows), inOrder(alone)];
  for (const [at, row] of ours.entries()) expect(theirs[at], `row ${at}`).toEqual(row);
}

describe('500 rows of four layouts beside the quickstart’s have the tokens and labels that each would have alone', () => {
  test('in LLaMA-Factory', async () => expectAlone(await preprocessLlamaFactory(dataset, model)));

  test('in TRL', async () => expectAlone(await loadTrlRows(dataset, model)));

  test('in verl', async () => {
    const rows = await loadVerlRows(dataset);
    expectAlone(
      rows.map(({ input_ids, loss_mask }) => ({
        input_ids,
        labels: input_ids.map((id, token) => (loss_mask[token] === 1 ? id : ignoredLabel)),
      })),
    );
  });
});
