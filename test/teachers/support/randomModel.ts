import { sha256Hex } from '../../../base/ids.ts';
import type { ChatModel } from '../../../contract/chatModel.ts';
import { fakeModel } from '../../support/fakeModel.ts';

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

  return fakeModel(({ tools: [tool] = [], response_schema }) => {
    if (chance() < slipRate) return { content: pick(['', '{"think": "', 'Sure!']) };
    if (tool) {
      const input = JSON.stringify(anyValue(tool.parameters as AnswerSchema));
      return { tool_calls: [{ id: 'x', type: 'function', function: { name: tool.name, arguments: input } }] };
    }
    return { content: JSON.stringify(anyValue(response_schema!.schema as AnswerSchema)) };
  }, style);
}
