import { expect, test } from 'vitest';
import type { ChatRequest } from '../../../contract/chatModel.ts';
import { says, startTinyServer } from '../support/startTinyServer.ts';
import { modelAt, neverAborted } from '../support/tinyModel.ts';

const request: ChatRequest = {
  messages: [
    { role: 'system', content: 'You help.' },
    { role: 'user', content: 'Question: why?\n\nYour turn: plan.' },
    { role: 'assistant', content: 'no' },
    { role: 'user', content: 'Again.' },
  ],
  sampling: {},
  stable: { message: 1, chars: 16 },
};
const mark = { cache_control: { type: 'ephemeral' } };

test.each([
  [false, request, request.messages],
  [
    true,
    request,
    [
      { role: 'system', content: [{ type: 'text', text: 'You help.', ...mark }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Question: why?\n\n', ...mark },
          { type: 'text', text: 'Your turn: plan.' },
        ],
      },
      ...request.messages.slice(2),
    ],
  ],
  [
    true,
    { ...request, stable: { message: 2, chars: 2 } },
    [
      { role: 'system', content: [{ type: 'text', text: 'You help.', ...mark }] },
      request.messages[1],
      { role: 'assistant', content: [{ type: 'text', text: 'no', ...mark }] },
      request.messages[3],
    ],
  ],
])('cache_control %s: what is sent, under the same hash', async (cache_control, asked, sent) => {
  const { baseUrl, requests } = await startTinyServer(() => says('Yes.'));
  const answer = await modelAt(baseUrl, { cache_control }).chat(asked, neverAborted);
  const plain = await modelAt(baseUrl).chat({ ...asked, stable: undefined } as never, neverAborted);
  expect(requests[0]!.body.messages).toEqual(sent);
  expect(answer.request_hash).toBe(plain.request_hash);
});
