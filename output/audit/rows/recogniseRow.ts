import { z } from 'zod';
import { type PairSide, pairSides } from '../../../schemas/audit.ts';

const numbers = z
  .custom<Iterable<number | bigint>>(
    (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
  )
  .transform((list) => Array.from(list, Number))
  .refine((list) => list.every((number) => Number.isFinite(number)), 'expected numbers');

const tokenisedSchema = z.looseObject({
  input_ids: numbers,
  labels: numbers.optional(),
  loss_mask: numbers.optional(),
  attention_mask: numbers.optional(),
  loss_weights: numbers.optional(),
});
const shareGptSchema = z.looseObject({
  conversations: z.array(z.looseObject({ from: z.string(), value: z.string() })).min(1),
});
const messagesSchema = z.looseObject({
  messages: z
    .array(
      z.looseObject({
        role: z.string(),
        content: z.string().nullish(),
        tool_calls: z.array(z.unknown()).nullish(),
        loss: z.union([z.boolean(), z.number()]).nullish(),
      }),
    )
    .min(1),
});
const labelledTextSchema = z.looseObject({
  segments: z.array(z.looseObject({ label: z.boolean(), text: z.string() })).min(1),
});
const alpacaSchema = z.looseObject({
  instruction: z.string(),
  input: z.string().nullish(),
  output: z.string(),
  system: z.string().nullish(),
});

/** One turn of a conversation. */
export interface Turn {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** Whether its words are in the loss. */
  readonly trained: boolean;
}

/** A row of a dataset by its layout. */
export type RecognisedRow =
  | {
      readonly layout: 'tokenised';
      readonly ids: readonly number[];
      readonly labels: readonly number[] | undefined;
      readonly lossMask: readonly number[] | undefined;
      readonly attentionMask: readonly number[] | undefined;
      readonly lossWeights: readonly number[] | undefined;
    }
  /** `ranking`: a side of a pair in LLaMA-Factory's ranking layout, of which the whole last turn is in the loss. */
  | { readonly layout: 'turns' | 'labelled_texts' | 'ranking'; readonly turns: readonly Turn[] }
  | {
      readonly layout: 'alpaca';
      readonly system: string | undefined;
      readonly user: string;
      readonly output: string;
    };

/** Why a row is none of the known layouts. */
export interface UnknownRow {
  readonly layout: 'unknown';
  readonly problem: string;
}

/** The layouts in words, for messages. */
export const knownLayouts =
  'input_ids with labels or loss_mask, conversations or messages, segments with label and text, instruction and output, or two of these as chosen and rejected';

const roles: Readonly<Record<string, Turn['role']>> = {
  system: 'system',
  human: 'user',
  user: 'user',
  gpt: 'assistant',
  assistant: 'assistant',
  function_call: 'assistant',
  observation: 'tool',
  tool: 'tool',
};

/** Reads what a row holds by its columns: one row, or both sides of a pair, the chosen one first. */
export function recogniseRows(value: unknown): readonly (RecognisedRow | UnknownRow)[] {
  if (typeof value !== 'object' || value === null) return [recogniseRow(value)];
  if ('chosen_input_ids' in value) return pairSides.map((side) => recogniseRow(sideColumns(value, side)));
  if (!('chosen' in value && 'rejected' in value)) return [recogniseRow(value)];
  return pairSides.map((side) => textSide(value as TextPair, side));
}

/** A pair in words: LLaMA-Factory's ranking layout, or a prompt and two texts. */
interface TextPair extends Record<PairSide, unknown> {
  readonly conversations?: unknown;
  readonly prompt?: unknown;
}

function sideColumns(pair: object, side: string) {
  return Object.fromEntries(
    Object.entries(pair).flatMap(([name, column]) =>
      name.startsWith(`${side}_`) ? [[name.slice(side.length + 1), column]] : [],
    ),
  );
}

function textSide(pair: TextPair, side: PairSide): RecognisedRow | UnknownRow {
  const answer = pair[side];
  if (Array.isArray(pair.conversations)) {
    const row = shareGpt({ conversations: [...pair.conversations, answer] });
    if (row.layout !== 'turns') return row;
    const last = row.turns.length - 1;
    return {
      layout: 'ranking',
      turns: row.turns.map((turn, at) => ({ ...turn, trained: turn.trained && at === last })),
    };
  }
  if (typeof answer !== 'string') return recogniseRow(answer);
  const prompt = { role: 'user', content: pair.prompt };
  return messages({ messages: [prompt, { role: 'assistant', content: answer }] });
}

/** Reads a row by its columns. */
export function recogniseRow(value: unknown): RecognisedRow | UnknownRow {
  if (typeof value !== 'object' || value === null)
    return unknownRow(`expected an object with ${knownLayouts}`);
  if ('input_ids' in value) return tokenised(value);
  if ('conversations' in value) return shareGpt(value);
  if ('messages' in value) return messages(value);
  if ('segments' in value) return labelledTexts(value);
  if ('instruction' in value) return alpaca(value);
  const columns = Object.keys(value).slice(0, 8).join(', ');
  return unknownRow(`expected ${knownLayouts}; found the columns ${columns || '(none)'}`);
}

function tokenised(value: object): RecognisedRow | UnknownRow {
  const parsed = tokenisedSchema.safeParse(value);
  if (!parsed.success) return unreadable(parsed.error);
  const { input_ids: ids, labels, loss_mask: lossMask, attention_mask: attentionMask } = parsed.data;
  const { loss_weights: lossWeights } = parsed.data;
  if (!labels && !lossMask)
    return unknownRow('input_ids stand without labels or loss_mask: nothing says what is trained');
  return { layout: 'tokenised', ids, labels, lossMask, attentionMask, lossWeights };
}

function shareGpt(value: object): RecognisedRow | UnknownRow {
  const parsed = shareGptSchema.safeParse(value);
  if (!parsed.success) return unreadable(parsed.error);
  const turns = parsed.data.conversations.map(({ from, value: text }) => turn(from, text, undefined));
  return withKnownRoles(
    turns,
    parsed.data.conversations.map(({ from }) => from),
  );
}

function messages(value: object): RecognisedRow | UnknownRow {
  const parsed = messagesSchema.safeParse(value);
  if (!parsed.success) return unreadable(parsed.error);
  const turns = parsed.data.messages.map(({ role, content, tool_calls, loss }) =>
    turn(role, [...(content ? [content] : []), ...(tool_calls ?? []).map(asQwenCall)].join('\n'), loss),
  );
  return withKnownRoles(
    turns,
    parsed.data.messages.map(({ role }) => role),
  );
}

/** A call as Qwen's template writes it into the turn. */
function asQwenCall(call: unknown): string {
  return `<tool_call>\n${JSON.stringify(call)}\n</tool_call>`;
}

function turn(name: string, text: string, loss: boolean | number | null | undefined): Turn | undefined {
  const role = Object.hasOwn(roles, name) ? roles[name] : undefined;
  return (
    role && {
      role,
      text,
      trained: loss === null || loss === undefined ? role === 'assistant' : Number(loss) > 0,
    }
  );
}

function withKnownRoles(
  turns: readonly (Turn | undefined)[],
  names: readonly string[],
): RecognisedRow | UnknownRow {
  const known = turns.filter((each) => each !== undefined);
  if (known.length === turns.length) return { layout: 'turns', turns: known };
  const name = names[turns.indexOf(undefined)];
  return unknownRow(`the role ${JSON.stringify(name)} is none of ${Object.keys(roles).join(', ')}`);
}

function labelledTexts(value: object): RecognisedRow | UnknownRow {
  const parsed = labelledTextSchema.safeParse(value);
  if (!parsed.success) return unreadable(parsed.error);
  const turns = parsed.data.segments.map(
    ({ label, text }): Turn => ({ role: label ? 'assistant' : 'user', text, trained: label }),
  );
  return { layout: 'labelled_texts', turns };
}

function alpaca(value: object): RecognisedRow | UnknownRow {
  const parsed = alpacaSchema.safeParse(value);
  if (!parsed.success) return unreadable(parsed.error);
  const { instruction, input, output, system } = parsed.data;
  return {
    layout: 'alpaca',
    system: system || undefined,
    user: input ? `${instruction}\n${input}` : instruction,
    output,
  };
}

function unreadable(error: z.ZodError): UnknownRow {
  const [issue] = error.issues;
  return unknownRow(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not as expected'}`);
}

function unknownRow(problem: string): UnknownRow {
  return { layout: 'unknown', problem };
}
