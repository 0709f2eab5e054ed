import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { chatTurns, type Picks, picksOf, shareGptTurns, withTools } from './support/dialogueRows.ts';
import {
  checkTexts,
  type LoaderRows,
  llamaFactoryRows,
  loadedRows,
  loaderTexts,
  type MaskTexts,
} from './support/loaderMasks.ts';
import type { LabelledRow } from './support/savedRows.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';

const count = 200;
const folder = sharedFolder();
const model = path.join(folder, 'model');

beforeAll(() => writeModelFolder(model));

function rowsOf(seed: number, rowOf: (picks: Picks) => JsonObject): JsonObject[] {
  const picks = picksOf(seed);
  return Array.from({ length: count }, () => rowOf(picks));
}

/**
 * Stretches without the template's line feeds around a turn: trainers have them in the loss or leave them out, and the
 * check finds both right; the first may be one token with a turn's own, of which the check tells `boundary_token`.
 */
function withoutFeeds({ text, inLoss }: MaskTexts): MaskTexts {
  return {
    text,
    inLoss: inLoss.map((each) => each.replace(/^\n+/, '').replace(/<\|im_end\|>\n$/, '<|im_end|>')),
  };
}

async function expectSameMasks(
  { name, rows }: Pick<LoaderRows, 'name' | 'rows'>,
  loaded: readonly LabelledRow[],
): Promise<void> {
  expect([rows.length, loaded.length], name).toEqual([count, count]);
  for (const [at, row] of rows.entries()) {
    const theirs = withoutFeeds(await loaderTexts(loaded[at]!));
    expect(withoutFeeds(await checkTexts(row)), `${name} ${at}`).toEqual(theirs);
  }
}

const history = ({ below, text }: Picks) => Array.from({ length: below(3) }, () => [text(), text()]);
const maybe = (picks: Picks, key: string) => (picks.below(2) ? { [key]: picks.text() } : { [key]: '' });

const messages = rowsOf(1, (picks) => withTools(picks, { messages: chatTurns(picks) }));
const plain = rowsOf(2, (picks) => ({ messages: chatTurns(picks, 0) }));
const completions = rowsOf(3, (picks) => {
  const turns = chatTurns(picks);
  const asked = turns.findIndex(({ role }) => role === 'user') + 1;
  return withTools(picks, { prompt: turns.slice(0, asked), completion: turns.slice(asked) });
});
const texts = rowsOf(4, ({ text }) => ({ prompt: text(), completion: text() }));
const conversations = rowsOf(5, (picks) => ({
  conversations: shareGptTurns(picks, 0),
}));
/** Rows of which at least one turn has the flag. */
const flagged = (name: string, values: readonly JsonValue[], maxCalls?: number) =>
  rowsOf(6, function draw(picks): JsonObject {
    const turns = chatTurns(picks, maxCalls).map((turn) =>
      turn.role === 'assistant' && picks.below(2)
        ? { ...turn, [name]: values[picks.below(values.length)]! }
        : turn,
    );
    return turns.some((turn) => name in turn) ? { messages: turns } : draw(picks);
  });

const requests: LoaderRows[] = [
  { name: 'trl-messages', loader: 'trl', rows: messages, options: { assistant_only_loss: true } },
  { name: 'trl-completions', loader: 'trl', rows: completions, options: {} },
  { name: 'trl-texts', loader: 'trl', rows: texts, options: {} },
  { name: 'axolotl-messages', loader: 'axolotl', rows: messages, options: { field_messages: 'messages' } },
  {
    name: 'axolotl-conversations',
    loader: 'axolotl',
    rows: conversations,
    options: {
      field_messages: 'conversations',
      message_property_mappings: { role: 'from', content: 'value' },
    },
  },
  {
    name: 'axolotl-train',
    loader: 'axolotl',
    rows: flagged('train', [true, false]),
    options: { message_field_training: 'train' },
  },
  {
    name: 'axolotl-weight',
    loader: 'axolotl',
    rows: flagged('weight', [0, 1]),
    options: { message_field_training: 'weight' },
  },
];

test('TRL and Axolotl', async () => {
  const loaded = await loadedRows('trainers', folder, model, requests);
  for (const [at, { name, rows }] of requests.entries()) await expectSameMasks({ name, rows }, loaded[at]!);
});

test("LLaMA-Factory's v1", async () => {
  const rows = flagged('loss_weight', [0, 1, 0.5], 0).map(({ messages: turns }) => ({
    messages: (turns as JsonObject[]).map(({ content, ...turn }) => ({
      ...turn,
      content: [{ type: 'text', value: content! }],
    })),
  }));
  const request = { name: 'v1', loader: 'llama_factory_v1', rows, options: { template: 'chatml' } } as const;
  const [loaded] = await loadedRows('llamafactory', folder, model, [request]);
  expect([rows.length, loaded!.length]).toEqual([count, count]);
  for (const [at, row] of rows.entries()) {
    const theirs = await loaderTexts(loaded![at]!);
    const ours = await checkTexts(row);
    // Its template trains the opening of a turn as well, and writes no system turn of its own.
    const opening = '<|im_start|>assistant\n';
    expect(ours.text.endsWith(theirs.text), `row ${at}`).toBe(true);
    expect(ours.inLoss.map((each) => opening + each).join(''), `row ${at}`).toBe(theirs.inLoss.join(''));
  }
});

test('LLaMA-Factory', async () => {
  const alpaca = rowsOf(7, (picks) => ({
    instruction: picks.text(),
    ...maybe(picks, 'input'),
    output: picks.text(),
    ...maybe(picks, 'system'),
    history: history(picks),
  }));
  const columns = {
    prompt: 'instruction',
    query: 'input',
    response: 'output',
    system: 'system',
    history: 'history',
  };
  await expectSameMasks(
    { name: 'alpaca', rows: alpaca },
    await llamaFactoryRows(folder, model, 'alpaca', alpaca, { columns }),
  );
  const shareGpt = rowsOf(8, (picks) => ({ conversations: shareGptTurns(picks), ...maybe(picks, 'system') }));
  const info = { formatting: 'sharegpt', columns: { messages: 'conversations', system: 'system' } };
  await expectSameMasks(
    { name: 'sharegpt', rows: shareGpt },
    await llamaFactoryRows(folder, model, 'sharegpt', shareGpt, info),
  );
  const openai = {
    formatting: 'sharegpt',
    columns: { messages: 'messages' },
    tags: {
      role_tag: 'role',
      content_tag: 'content',
      user_tag: 'user',
      assistant_tag: 'assistant',
      observation_tag: 'tool',
      function_tag: 'function',
      system_tag: 'system',
    },
  };
  await expectSameMasks(
    { name: 'messages', rows: plain },
    await llamaFactoryRows(folder, model, 'messages', plain, openai),
  );
});
