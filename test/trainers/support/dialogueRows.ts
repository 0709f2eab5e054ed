import type { JsonObject } from '../../../base/json.ts';
import { mulberry32 } from '../../support/mulberry32.ts';

/** Texts that have misled tokenizers, templates and masks; none spells a control token. */
const texts = [
  'Aske',
  ' leading and trailing ',
  '\nline feeds\n\n',
  '日本語 👩‍👩‍👧‍👦 e\u0301 ﬁ',
  'CRLF\r\nCRLF\r\n',
  '{"a": [1, null, "é"]}',
  '```python\nprint("</answer>")\n```',
  '<think>\nThe river is the Aske.\n</think>\n\nAske',
  'x < 3 && y > 2 </p>',
  '17 * 23 = 391',
] as const;

const tools = [
  {
    type: 'function',
    function: {
      name: 'look_up',
      description: 'Looks a river up.',
      parameters: { type: 'object', properties: { name: { type: 'string' } } },
    },
  },
];

/** Picks numbers and texts in the same order for the same seed. */
export interface Picks {
  readonly below: (limit: number) => number;
  readonly text: () => string;
}

export function picksOf(seed: number): Picks {
  const next = mulberry32(seed);
  const below = (limit: number) => Math.floor(next() * limit);
  return { below, text: () => `${texts[below(texts.length)]}${texts[below(texts.length)]}` };
}

/** Turns of OpenAI's form: perhaps a system turn, then one to three answers, each with none to three calls before it. */
export function chatTurns({ below, text }: Picks, maxCalls = 3): JsonObject[] {
  const turns: JsonObject[] = below(2) ? [{ role: 'system', content: text() }] : [];
  for (let left = 1 + below(3); left > 0; left--) {
    turns.push({ role: 'user', content: text() });
    for (let calls = below(maxCalls + 1); calls > 0; calls--) turns.push(...callTurns({ below, text }));
    turns.push({ role: 'assistant', content: text() });
  }
  return turns;
}

/** A turn that calls one or two tools, and their results. */
function callTurns({ below, text }: Picks): JsonObject[] {
  const calls = Array.from({ length: 1 + below(2) }, () => ({
    type: 'function',
    function: { name: 'look_up', arguments: { name: text() } },
  }));
  const said: JsonObject = { role: 'assistant', content: below(2) ? text() : '', tool_calls: calls };
  return [said, ...calls.map(() => ({ role: 'tool', name: 'look_up', content: text() }))];
}

export function withTools({ below }: Picks, row: JsonObject): JsonObject {
  return below(2) ? { ...row, tools } : row;
}

/** ShareGPT's turns as LLaMA-Factory takes them: the model on even places, calls as JSON. */
export function shareGptTurns({ below, text }: Picks, maxCalls = 3): JsonObject[] {
  const turns: JsonObject[] = [];
  for (let left = 1 + below(3); left > 0; left--) {
    turns.push({ from: 'human', value: text() });
    for (let calls = below(maxCalls + 1); calls > 0; calls--) {
      turns.push({
        from: 'function_call',
        value: JSON.stringify({ name: 'look_up', arguments: { name: text() } }),
      });
      turns.push({ from: 'observation', value: text() });
    }
    turns.push({ from: 'gpt', value: text() });
  }
  return turns;
}
