import { contentId, sha256Hex } from '../../../base/ids.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { ChatAnswer, ChatModel, ChatRequest } from '../../../contract/chatModel.ts';

/** Members of a JSON Schema that the roles' answers use. */
interface AnswerSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, AnswerSchema>>;
  readonly anyOf?: readonly AnswerSchema[];
}

/** A model that answers anything of the shape that it was asked for, by a seed; now and then it answers badly. */
export function randomModel(seed: number, style: 'native' | 'structured', slipRate: number): ChatModel {
  let calls = 0;
  const chance = () => Number.parseInt(sha256Hex(`${seed}:${calls++}`).slice(0, 8), 16) / 2 ** 32;
  const pick = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!;
  const words = () => pick(['a word', 'two <b>words</b>', 'say <answer>42</answer>', '=== plan ===', '12']);

  function anyValue(schema: AnswerSchema): unknown {
    if (schema.anyOf) return anyValue(pick(schema.anyOf));
    if (schema.enum) return pick(schema.enum);
    if (schema.type === 'integer') return (schema.minimum ?? 0) + Math.floor(chance() * 4);
    if (schema.type === 'object') {
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, member]) => [key, anyValue(member)]),
      );
    }
    return words();
  }

  function answer(request: ChatRequest, said: Pick<ChatAnswer, 'content' | 'tool_calls'>): ChatAnswer {
    return {
      ...said,
      model: 'random',
      reasoning: null,
      finish_reason: 'stop',
      usage: { prompt_tokens: 10, completion_tokens: 1, cached_tokens: 0 },
      cost_usd: 0,
      request_hash: contentId('request', request),
      response_format: request.response_schema ? 'openai_schema' : null,
    };
  }

  return {
    model: 'random',
    toolCallStyle: style,
    preferStructuredToolCalls: () => undefined,
    learnFrom: () => undefined,
    async chat(request) {
      if (chance() < slipRate)
        return answer(request, { content: pick(['', '{"think": "', 'Sure!']), tool_calls: [] });
      const [tool] = request.tools ?? [];
      if (tool) {
        const input = JSON.stringify(anyValue(tool.parameters as AnswerSchema));
        const call = { id: 'x', type: 'function' as const, function: { name: tool.name, arguments: input } };
        return answer(request, { content: null, tool_calls: [call] });
      }
      const schema = request.response_schema!.schema as AnswerSchema & JsonObject;
      return answer(request, { content: JSON.stringify(anyValue(schema)), tool_calls: [] });
    },
  };
}
