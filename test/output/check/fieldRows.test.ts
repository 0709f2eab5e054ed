import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tokenRow } from '../../../output/check/tokenRow.ts';
import { readAnswers } from '../../../schemas/rows/codecTable.ts';
import { isProblem } from '../../../schemas/rows/datasetRow.ts';
import { testDataPath } from '../../support/testData.ts';
import { qwenText } from '../support/qwenText.ts';
import { checkMasks } from './support/checkRows.ts';

const call =
  '<tool_call>\n{"name": "web_search", "arguments": {"query": "river Vinterby"}}\n</tool_call><|im_end|>\n';

/** Rows of the field, what is in the loss of each, and what the check finds. */
test.for([
  ['a05_content_parts', `I look.\n${call}Aske<|im_end|>\n`, []],
  ['a17_prompt_completion', 'Aske<|im_end|>\n', []],
  ['w01_openai_weight', 'good<|im_end|>\n', []],
  ['w02_axolotl_train', 'good<|im_end|>\n', []],
] as const)('%s trains what its columns say', async ([name, inLoss, rules]) => {
  const file = testDataPath(`field/${name}.jsonl`);
  const [read] = readAnswers(JSON.parse(readFileSync(file, 'utf8')));
  if (read === undefined || isProblem(read)) throw new Error(`${name} can't be read: ${read?.problem}`);
  const { row, trained } = await tokenRow(read, qwenText);
  expect(await qwenText.decode(row.ids.filter((_, token) => trained[token] === 1))).toBe(inLoss);
  expect((await checkMasks(file)).findings.map(({ rule }) => rule)).toEqual(rules);
});
