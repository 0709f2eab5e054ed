import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json.ts';
import { alpacaPrompt } from './alpaca.ts';
import { asPrompt, piecesOf } from './chatTurns.ts';
import {
  type DatasetRow,
  isProblem,
  type PairSide,
  pairSides,
  type RowPiece,
  type RowProblem,
} from './datasetRow.ts';
import { areTexts, continued, promptPieces } from './promptCompletion.ts';
import { has, type RowCodec, rowOfPieces } from './rowCodec.ts';
import type { RowToWrite } from './rowToWrite.ts';
import { type LlamaFactoryPair, promptRole } from './shareGpt.ts';
import { inTokens, tokensCodec } from './tokens.ts';
import { trajectoryCodec } from './trajectory.ts';

/**
 * A prompt and two answers, of which the chosen one is better: LLaMA-Factory's ranking layouts (ShareGPT, Alpaca, and
 * `chosen_messages` of its v1), TRL's columns, ms-swift's `messages` with `rejected_response` or `rejected_messages`, tokens of both sides, or two records.
 */
export const preferenceCodec: RowCodec = {
  name: 'pair',
  columns: 'chosen and rejected',
  reads: [
    'prompt',
    'messages',
    'conversations',
    'instruction',
    'input',
    'history',
    'rejected_response',
    ...pairSides.flatMap((side) =>
      ['', '_messages', '_input_ids', '_labels', '_loss_mask', '_attention_mask'].map((end) => side + end),
    ),
  ],
  recognises: (raw) => {
    const isPair = ['', '_input_ids', '_messages'].some((end) =>
      pairSides.every((side) => has(raw, side + end)),
    );
    return isPair || isSwiftPair(raw);
  },
  read(given) {
    const isSwift = isSwiftPair(given);
    const raw = isSwift ? swiftSides(given) : withPrompt(given);
    const maskedBy = isSwift ? 'turns' : 'completion';
    const [chosen, rejected] = pairSides.map((side) => sideOf(raw, side, maskedBy));
    if (isProblem(chosen!)) return chosen;
    if (isProblem(rejected!)) return rejected;
    return {
      ...rowOfPieces(raw, 'pair', chosen!.maskedBy, []),
      pair: { chosen: chosen!, rejected: rejected! },
    };
  },
};

function isSwiftPair(raw: JsonObject): boolean {
  return Array.isArray(raw.messages) && (has(raw, 'rejected_response') || has(raw, 'rejected_messages'));
}

/** Converts ms-swift's pair to TRL's columns: the answer follows the last user turn. */
function swiftSides({ messages, rejected_response, rejected_messages, ...raw }: JsonObject): JsonObject {
  const [prompt, chosen] = atLastUser(messages);
  const rejected = rejected_messages == null ? rejected_response : atLastUser(rejected_messages)[1];
  return { ...raw, prompt, chosen, rejected };
}

/** Splits TRL's pair without a prompt at the common beginning of both sides (`extract_prompt`). */
function withPrompt({ chosen, rejected, ...raw }: JsonObject): JsonObject {
  const hasPrompt = ['prompt', 'messages', 'conversations', 'instruction'].some((name) => has(raw, name));
  const areTurns = Array.isArray(chosen) && Array.isArray(rejected);
  const areTexts = typeof chosen === 'string' && typeof rejected === 'string';
  if (hasPrompt || !(areTurns || areTexts)) return { ...raw, chosen, rejected };
  const [one, other] = areTexts
    ? [[...chosen], [...rejected]]
    : [chosen as JsonValue[], rejected as JsonValue[]];
  const differs = one.findIndex((part, at) => JSON.stringify(part) !== JSON.stringify(other[at]));
  if (differs < 1) return { ...raw, chosen, rejected };
  const at = areTexts && one[differs - 1] === ' ' ? differs - 1 : differs;
  const [prompt, ...sides] = [one.slice(0, at), one.slice(at), other.slice(at)].map((parts) =>
    areTexts ? parts.join('') : parts,
  );
  return { ...raw, prompt: prompt!, chosen: sides[0]!, rejected: sides[1]! };
}

function atLastUser(messages: JsonValue | undefined): [JsonValue[], JsonValue[]] {
  const turns = Array.isArray(messages) ? messages : [];
  const asked = turns.findLastIndex((turn) => isJsonObject(turn) && turn.role === 'user') + 1;
  return [turns.slice(0, asked), turns.slice(asked)];
}

/** Trained turns of a side: by role (ms-swift) or everything after the prompt (TRL). */
type SideMask = 'turns' | 'completion';

function sideOf(raw: JsonObject, side: PairSide, maskedBy: SideMask): DatasetRow | RowProblem {
  if (!has(raw, `${side}_input_ids`)) return sideInWords(raw, side, maskedBy);
  const read = tokensCodec.read(sideColumns(raw, side));
  const words = has(raw, side) ? sideInWords(raw, side, maskedBy) : read;
  return isProblem(read) || isProblem(words) ? read : inTokens(words, read.tokens!);
}

function sideInWords(raw: JsonObject, side: PairSide, maskedBy: SideMask): DatasetRow | RowProblem {
  const whole = `${side}_messages` as const;
  if (has(raw, whole)) {
    const turns = piecesOf(raw[whole], whole);
    return 'problem' in turns ? turns : lastTurnTrained(raw, turns);
  }
  const value = raw[side]!;
  if (isJsonObject(value) && trajectoryCodec.recognises(value)) return trajectoryCodec.read(value);
  if (Array.isArray(raw.conversations)) return rankedSide(raw, side);
  const isAlpaca = has(raw, 'instruction');
  const asked = raw.prompt ?? raw.messages;
  const prompt = isAlpaca ? alpacaPrompt(raw) : promptPieces(asked);
  if ('problem' in prompt) return prompt;
  const isText = maskedBy === 'completion' && !isAlpaca && areTexts(asked, value);
  const mask = { format: 'pair', maskedBy: isText ? 'texts' : maskedBy } as const;
  return continued(raw, mask, prompt.map(asPrompt), side);
}

function sideColumns(raw: JsonObject, side: PairSide): JsonObject {
  return Object.fromEntries(
    Object.entries(raw).flatMap(([name, column]) =>
      name.startsWith(`${side}_`) ? [[name.slice(side.length + 1), column]] : [],
    ),
  );
}

/** LLaMA-Factory's ranking layout: only the last turn is trained, all of it. */
function rankedSide(raw: JsonObject, side: PairSide): DatasetRow | RowProblem {
  const before = piecesOf(raw.conversations, 'conversations');
  if ('problem' in before) return before;
  const answer = piecesOf(raw[side], side);
  return 'problem' in answer ? answer : lastTurnTrained(raw, [...before, ...answer]);
}

function lastTurnTrained(raw: JsonObject, turns: readonly RowPiece[]): DatasetRow {
  return rowOfPieces(raw, 'pair', 'answer', [
    ...turns.slice(0, -1).map(asPrompt),
    { ...turns.at(-1)!, weight: 1 },
  ]);
}

/** Both sides of a pair to write; they share one prompt. */
export type PairToWrite = Readonly<Record<PairSide, Pick<RowToWrite, 'pieces'>>>;

/** Text of a pair: the common prompt, and each answer with the end of its turn. */
export function pairTexts({ chosen, rejected }: PairToWrite): Readonly<Record<'prompt' | PairSide, string>> {
  const textOf = ({ pieces }: PairToWrite[PairSide], isPrompt: boolean) =>
    pieces
      .filter(({ origin }) => (origin === 'prompt') === isPrompt)
      .map(({ text }) => text)
      .join('');
  return { prompt: textOf(chosen, true), chosen: textOf(chosen, false), rejected: textOf(rejected, false) };
}

export function rankedPair(pair: PairToWrite): LlamaFactoryPair {
  const { prompt, chosen, rejected } = pairTexts(pair);
  return {
    conversations: [{ from: promptRole(prompt), value: prompt }],
    chosen: { from: 'gpt', value: chosen },
    rejected: { from: 'gpt', value: rejected },
  };
}
