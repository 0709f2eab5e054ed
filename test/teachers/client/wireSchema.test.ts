import { expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../base/json.ts';
import { requestBody, wireSchema } from '../../../teachers/client/createChatModel.ts';

const input = z.strictObject({
  query: z.string().min(1).max(2000),
  urls: z.array(z.string()).min(1).max(9),
  pattern: z.string().regex(/x/),
});
const parameters = z.toJSONSchema(input) as JsonObject;

test('the shape stays and the limits go', () => {
  expect(wireSchema(parameters)).toEqual({
    type: 'object',
    properties: {
      query: { type: 'string' },
      urls: { type: 'array', items: { type: 'string' } },
      pattern: { type: 'string' },
    },
    required: ['query', 'urls', 'pattern'],
    additionalProperties: false,
  });
});

test('no limit reaches an endpoint, in tools or in the shape of an answer', () => {
  const tools = [{ name: 'search', description: '', parameters }];
  const schema = { name: 'answer', schema: parameters };
  const offer = requestBody('m', { messages: [], tools, sampling: {} }, null);
  const asked = requestBody('m', { messages: [], response_schema: schema, sampling: {} }, 'openai_schema');
  expect(JSON.stringify([offer, asked])).not.toMatch(/minLength|maxLength|minItems|maxItems|\$schema/);
});

test('a tuple is a list, which every endpoint takes', () => {
  const tuple = z.strictObject({
    pair: z.tuple([z.string(), z.string()]),
    ask: z.enum(['a', 'b']).default('a'),
  });
  expect(wireSchema(z.toJSONSchema(tuple) as JsonObject)).toEqual({
    type: 'object',
    properties: {
      pair: { type: 'array', items: { type: 'string' } },
      ask: { type: 'string', enum: ['a', 'b'] },
    },
    required: ['pair', 'ask'],
    additionalProperties: false,
  });
});
