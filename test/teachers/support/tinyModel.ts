import type { Clock } from '../../../base/clock.ts';
import { createEndpointPools } from '../../../calls/limits/createEndpointPools.ts';
import type { CallMeter } from '../../../contract/calls.ts';
import type { ChatModel, ChatRequest } from '../../../contract/chatModel.ts';
import { RecordFailure } from '../../../contract/errors.ts';
import { poolMember } from '../../../pipeline/compose/openModels.ts';
import { endpointConfigSchema } from '../../../schemas/config/endpoint.ts';
import type { PricedEndpoint } from '../../../schemas/config/models.ts';
import { membersOf } from '../../../schemas/config/resolved/endpoints.ts';
import type { StageFailure } from '../../../schemas/outcome.ts';
import { createChatModel } from '../../../teachers/client/createChatModel.ts';
import { createEndpointRegistry } from '../../../teachers/client/endpointCapabilities.ts';
import { stillClock } from './clocks.ts';

/** A model client on an endpoint of a test. */
export function modelAt(
  baseUrl: string,
  settings: Partial<PricedEndpoint> = {},
  {
    apiKey = 'sk-secret-key',
    clock = stillClock(),
    meter,
    slots,
  }: { apiKey?: string; clock?: Clock; meter?: CallMeter; slots?: number } = {},
): ChatModel {
  const endpoint = { ...endpointConfigSchema.parse({}), ...settings, base_url: baseUrl };
  const capabilities = createEndpointRegistry().capabilitiesFor(endpoint, 'tiny');
  const members = membersOf(endpoint).map((member) =>
    poolMember({ ...member, ...(slots && { slots }) }, apiKey),
  );
  const pool = createEndpointPools(clock)(members);
  return createChatModel({ model: 'tiny', endpoint, pool, clock, capabilities, ...(meter && { meter }) });
}

export const neverAborted = new AbortController().signal;

/** A request for `{"word": string}`. */
export const wordRequest: ChatRequest = {
  messages: [
    { role: 'system', content: 'You say words.' },
    { role: 'user', content: 'Say one.' },
  ],
  response_schema: {
    name: 'word',
    schema: {
      type: 'object',
      properties: { word: { type: 'string' } },
      required: ['word'],
      additionalProperties: false,
    },
  },
  sampling: { temperature: 0.5, max_tokens: 50 },
};

/** A request for free text. */
export const plainRequest: ChatRequest = { messages: wordRequest.messages, sampling: {} };

/** A request for one call of a tool. */
export const toolRequest: ChatRequest = {
  messages: wordRequest.messages,
  tools: [{ name: 'code', description: 'Runs it.', parameters: { type: 'object' } }],
  sampling: {},
};

/** The failure that a request for free text ends in, at an endpoint of a test. */
export function failureAt(...endpoint: Parameters<typeof modelAt>): Promise<StageFailure> {
  return failureOfCall(modelAt(...endpoint).chat(plainRequest, neverAborted));
}

/** The failure that a promise ends in; throws when it ends otherwise. */
export async function failureOfCall(call: Promise<unknown>): Promise<StageFailure> {
  try {
    await call;
  } catch (error) {
    if (error instanceof RecordFailure) return error.failure;
    throw error;
  }
  throw new Error('expected a failure, got an answer');
}
