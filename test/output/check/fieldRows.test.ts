import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../../base/json.ts';
import { tokenRow } from '../../../output/check/tokenRow.ts';
import { readAnswers } from '../../../schemas/rows/codecTable.ts';
import { isProblem } from '../../../schemas/rows/datasetRow.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { testDataPath } from '../../support/testData.ts';
import { qwenText } from '../support/qwenText.ts';
import { check, checkMasks } from './support/checkRows.ts';

const call =
  '<tool_call>\n{"name": "web_search", "arguments": {"query": "river Vinterby"}}\n</tool_call><|im_end|>\n';

const asked = [
  { role: 'user', content: 'a' },
  { role: 'assistant', content: 'bad' },
  { role: 'user', content: 'b' },
  { role: 'assistant', content: 'good' },
];
const says = (content: string) => [{ role: 'assistant', content }];

const firstWith = (given: JsonObject) => ({ messages: asked.with(1, { ...asked[1]!, ...given }) });

/** Rows as trainers' own loaders read them, and what is in the loss of each. */
test.for<[name: string, row: JsonObject, inLoss: string, rules: string[]]>([
  ['a mask of each turn', { messages: asked, loss_mask: [0, 0, 0, 1] }, 'good<|im_end|>\n', []],
  ['a mask of each answer', { messages: asked, loss_mask: [0, 1] }, 'good<|im_end|>\n', []],
  ['a mask of tokens', { messages: asked, loss_mask: [0, 1, 1] }, '', ['unknown_row']],
  [
    "Alpaca's history",
    { instruction: 'b', input: '', output: 'good', history: [['a', 'fine']] },
    'fine<|im_end|>\ngood<|im_end|>\n',
    [],
  ],
  ['no history', { instruction: 'b', output: 'good', history: [] }, 'good<|im_end|>\n', []],
  [
    "ms-swift's history",
    { query: 'b', response: 'good', history: [['a', 'fine']] },
    'fine<|im_end|>\ngood<|im_end|>\n',
    [],
  ],
  ['a broken history', { instruction: 'b', output: 'good', history: ['a'] }, '', ['unknown_row']],
  [
    "Alpaca's pairs",
    { instruction: 'b', chosen: 'good', rejected: 'bad', history: [['a', 'fine']] },
    'good<|im_end|>\n',
    [],
  ],
  [
    'pairs of LLaMA-Factory v1',
    { chosen_messages: asked, rejected_messages: [...asked.slice(0, 3), ...says('bad')] },
    'good<|im_end|>\n',
    [],
  ],
  [
    "TRL's pairs whose sides hold the prompt",
    { chosen: [...asked.slice(0, 3), ...says('good')], rejected: [...asked.slice(0, 3), ...says('bad')] },
    'good<|im_end|>\n',
    [],
  ],
  [
    "TRL's pairs of texts that hold the prompt",
    { chosen: 'The sky is blue.', rejected: 'The sky is green.' },
    ' blue.<|im_end|>',
    [],
  ],
  ["TRL's prompt and completion of texts", { prompt: 'b', completion: ' good' }, ' good<|im_end|>', []],
  [
    "a completion whose first token joins the prompt's last",
    { prompt: 'Who?', completion: '<b>she</b>' },
    'b>she</b><|im_end|>',
    ['boundary_token'],
  ],
  [
    'a call of LLaMA-Factory',
    {
      conversations: [
        { from: 'human', value: 'b' },
        { from: 'function_call', value: '{"name":"look_up","arguments":{"name":"Aske"}}' },
        { from: 'observation', value: 'a river' },
        { from: 'gpt', value: 'good' },
      ],
    },
    '<tool_call>\n{"name": "look_up", "arguments": {"name": "Aske"}}\n</tool_call><|im_end|>\ngood<|im_end|>\n',
    [],
  ],
  ['an earlier answer of KTO', { messages: asked, label: true }, 'good<|im_end|>\n', []],
  [
    'an earlier answer in a prompt of TRL',
    { prompt: asked.slice(0, 3), completion: says('good') },
    'good<|im_end|>\n',
    [],
  ],
  [
    'a question that begins with a line feed',
    { messages: [{ role: 'user', content: '\nb' }, ...says('good')] },
    'good<|im_end|>\n',
    [],
  ],
  [
    'HTML in prose',
    { messages: [...asked.slice(0, 1), ...says('It ends in </code></pre>.')] },
    'It ends in </code></pre>.<|im_end|>\n',
    [],
  ],
  [
    'HTML in prose that nothing closes',
    { messages: [...asked.slice(0, 1), ...says('Use <pre> or <code> there.')] },
    'Use <pre> or <code> there.<|im_end|>\n',
    [],
  ],
  ["ms-swift's scale of a turn", firstWith({ loss_scale: 0 }), 'good<|im_end|>\n', []],
])('%s is in the loss as its trainer has it', async ([_, raw, inLoss, rules]) => {
  const file = join(temporaryFolder(), 'rows.jsonl');
  writeFileSync(file, JSON.stringify(raw));
  expect((await check(file)).findings.map(({ rule }) => rule)).toEqual(rules);
  const [read] = readAnswers(raw);
  if (read === undefined || isProblem(read)) return;
  const { row, trained } = await tokenRow(read, qwenText);
  expect(await qwenText.decode(row.ids.filter((_, token) => trained[token] === 1))).toBe(inLoss);
});

test.for<[name: string, row: JsonObject, flag: string, readers: string]>([
  ['loss', firstWith({ loss: false }), 'loss', 'ms-swift'],
  ['loss_scale', firstWith({ loss_scale: 0 }), 'loss_scale', 'ms-swift'],
  ['loss_weight', firstWith({ loss_weight: 0 }), 'loss_weight', 'LLaMA-Factory v1'],
  ['train', firstWith({ train: false }), 'train', 'Axolotl'],
  ['weight', firstWith({ weight: 0 }), 'weight', 'OpenAI'],
  ['loss_mask of a turn', firstWith({ loss_mask: 0 }), 'loss_mask', 'coa-distill'],
  ['loss_mask of a row', { messages: asked, loss_mask: [0, 1] }, 'loss_mask', 'coa-distill'],
])('%s leaves turns out for the trainers that read it alone', async ([_, row, flag, readers]) => {
  const file = join(temporaryFolder(), 'rows.jsonl');
  writeFileSync(file, JSON.stringify(row));
  const { parts } = (await check(file)).totals;
  expect(parts[0]!.loss_rule).toMatch(new RegExp(`; ${flag} .*for ${readers}`));
});

test.each<[string, JsonObject]>([
  ['turns of the user', { messages: asked.with(0, { ...asked[0]!, loss_weight: 0 } as (typeof asked)[0]) }],
  ['none of the model’s turns', { messages: asked, loss_mask: [0, 1, 0, 1] }],
])('a mask that takes out %s is not named', async (_, row) => {
  const file = join(temporaryFolder(), 'rows.jsonl');
  writeFileSync(file, JSON.stringify(row));
  expect((await check(file)).totals.parts[0]!.loss_rule).not.toMatch(/loss_(?:weight|mask)/);
});

/** Rows of the field, what is in the loss of each, and what the check finds. */
test.for([
  ['a05_content_parts', `I look.\n${call}Aske<|im_end|>\n`, []],
  ['a17_prompt_completion', 'Aske<|im_end|>\n', []],
  ['w01_openai_weight', 'good<|im_end|>\n', []],
  ['w02_axolotl_train', 'good<|im_end|>\n', []],
  [
    'n01_null_merged_args',
    '<tool_call>\n{"name": "web_search", "arguments": {"query": "river Vinterby", "site": null, "url": null}}\n</tool_call><|im_end|>\nAske<|im_end|>\n',
    ['null_arguments'],
  ],
  [
    'n25_output_fence',
    '```python\nprint(17*23)\n```\n```output\n391\n```\nThe product is $391$.<|im_end|>\n',
    ['no_observation'],
  ],
  ['w05_loss_weight', 'Aske<|im_end|>\n', []],
  ['w07_dpo_multi_turn', 'Aske<|im_end|>\n', []],
  [
    'w09_trl_messages_turns',
    `${call}<|im_start|>user\n<tool_response>\nThe Aske flows past Vinterby.\n</tool_response><|im_end|>\n<|im_start|>assistant\nAske<|im_end|>\n`,
    ['whole_completion'],
  ],
] as const)('%s trains what its columns say', async ([name, inLoss, rules]) => {
  const file = testDataPath(`field/${name}.jsonl`);
  const [read] = readAnswers(JSON.parse(readFileSync(file, 'utf8')));
  if (read === undefined || isProblem(read)) throw new Error(`${name} can't be read: ${read?.problem}`);
  const { row, trained } = await tokenRow(read, qwenText);
  expect(await qwenText.decode(row.ids.filter((_, token) => trained[token] === 1))).toBe(inLoss);
  expect((await checkMasks(file)).findings.map(({ rule }) => rule)).toEqual(rules);
});

/** A row's text as its trainer's template writes it. */
test.for<[name: string, row: JsonObject, part: string]>([
  [
    'results of neighbouring tools stand in one turn',
    {
      messages: [
        ...asked.slice(0, 2),
        { role: 'tool', content: 'one' },
        { role: 'tool', content: 'two' },
        ...says('good'),
      ],
    },
    '<|im_start|>user\n<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response><|im_end|>\n<|im_start|>assistant\ngood',
  ],
  [
    'the column `system` is the system turn',
    { system: 'Be brief.', messages: asked },
    '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\na<|im_end|>',
  ],
  ['texts have no turns', { prompt: 'The sky is', completion: ' blue.' }, 'The sky is blue.<|im_end|>'],
])('%s', async ([_, raw, part]) => {
  const [read] = readAnswers(raw);
  if (read === undefined || isProblem(read)) throw new Error('not read');
  expect((await tokenRow(read, qwenText)).row.text).toContain(part);
});
