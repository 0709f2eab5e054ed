import { contentId } from '../../base/ids.ts';
import type { CallScope } from '../../contract/calls.ts';
import type { ChatAnswer, ChatModel, ChatRequest } from '../../contract/chatModel.ts';

/** A model of a test: what is not said of its answers is that of a free one without words. */
export function fakeModel(
  answer: (request: ChatRequest, scope?: CallScope) => Partial<ChatAnswer> | Promise<Partial<ChatAnswer>>,
  toolCallStyle: ChatModel['toolCallStyle'] = 'structured',
): ChatModel {
  return {
    model: 'fake',
    toolCallStyle,
    preferStructuredToolCalls: () => undefined,
    learnFrom: () => undefined,
    chat: async (request, _signal, scope) => ({
      model: 'fake',
      content: null,
      reasoning: null,
      tool_calls: [],
      finish_reason: 'stop',
      usage: { prompt_tokens: 10, completion_tokens: 1, cached_tokens: 0 },
      cost_usd: 0,
      request_hash: contentId('request', request),
      response_format: null,
      ...(await answer(request, scope)),
    }),
  };
}
