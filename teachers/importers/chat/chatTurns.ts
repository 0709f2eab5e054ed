import type { JsonObject } from '../../../base/json.ts';
import type { TurnMap } from '../../../schemas/interchange/turnMap.ts';
import { RowRefusal } from '../rowRefusal.ts';
import type { RowRemarks } from '../rowRemarks.ts';
import { type ForeignTurn, unknownFigures } from '../runs/foreignRun.ts';
import {
  type AskedCall,
  checkArguments,
  type DraftCall,
  endOfRun,
  fieldCall,
  hasEnded,
  textCall,
} from './draftCalls.ts';
import { type FieldResult, type MessagePiece, type ReadMessage, wordsOf } from './readMessage.ts';
import { textResults, trimmedResult } from './textResults.ts';
import { type TurnPiece, turnPieces } from './turnPieces.ts';
import { WaitingCalls } from './waitingCalls.ts';

interface Draft {
  readonly path: string;
  readonly thoughts: string[];
  words: string[];
  action?: 'answer';
  readonly calls: DraftCall[];
  /** What else the message says; of several turns in one message, the first has it. */
  readonly kept: JsonObject;
}

/**
 * The turns of an agent: calls and results in fields and parts, and in the texts of turns where a map says how to read
 * them. What a turn of a tool holds, or a user's turn after a call in a text, is what a tool gave, whatever it looks
 * like.
 *
 * @param messages from the agent's first turn on
 * @param map of calls, results and answers in texts; where calls stand in fields or parts, of thoughts and answers alone
 * @throws RowRefusal naming the turn that can't be placed
 */
export function chatTurns(
  messages: readonly ReadMessage[],
  map: TurnMap | undefined,
  remarks: RowRemarks,
): ForeignTurn[] {
  const hasCalls = messages.some(({ pieces }) => pieces.some(({ kind }) => kind === 'call'));
  const inTexts: TurnMap | undefined = map && hasCalls ? { ...map, calls: [], result: 'turn' } : map;
  const hint = map || hasCalls ? '' : '; if calls and results stand in the text of turns, say --map PRESET';
  const reader = new ChatTurnReader(inTexts, hint, remarks);
  for (const message of messages) reader.read(message);
  reader.finish();
  return reader.turns();
}

class ChatTurnReader {
  readonly #drafts: Draft[] = [];
  readonly #waiting = new WaitingCalls();
  readonly #map: TurnMap | undefined;
  /** What helps where no call waits for what a user or a tool says. */
  readonly #hint: string;
  readonly #remarks: RowRemarks;
  #isOpen = false;

  constructor(map: TurnMap | undefined, hint: string, remarks: RowRemarks) {
    this.#map = map;
    this.#hint = hint;
    this.#remarks = remarks;
  }

  read(message: ReadMessage): void {
    const { path, role } = message;
    if (this.#drafts.at(-1)?.action === 'answer') throw afterAnswer(path);
    if (role === 'end') this.#end(message);
    else if (role === 'agent' || role === 'call') this.#agent(message);
    else this.#given(message);
    this.#isOpen = role === 'agent' || role === 'call';
  }

  /** A last call that ends runs gives the answer: what came back from it, or what it says. */
  finish(): void {
    const last = this.#drafts.at(-1);
    const call = last?.calls.at(-1);
    if (!last || !call?.ends) return;
    const { behind, bare } = call.ends;
    const said = call.observation?.trim() ? call.observation : behind;
    const answer = said ?? (call.observation === null ? bare : undefined);
    if (answer !== undefined) {
      last.calls.pop();
      answers(last, answer);
    } else if (call.observation !== null) throw failedRun(call.path, 'empty');
  }

  turns(): ForeignTurn[] {
    return this.#drafts.map((draft) => turnOf(draft, this.#remarks));
  }

  #agent({ path, role, pieces, kept }: ReadMessage): void {
    // A call in a message of its own is made in the turn right before it.
    if (role !== 'call' || !this.#isOpen) this.#begin(path, kept);
    for (const piece of pieces) {
      if (piece.kind !== 'text' || !this.#map) this.#piece(path, piece);
      else for (const part of turnPieces(piece.body, this.#map, path)) this.#piece(path, part);
    }
  }

  #begin(path: string, kept: JsonObject = {}): Draft {
    const draft: Draft = { path, thoughts: [], words: [], calls: [], kept };
    this.#drafts.push(draft);
    return draft;
  }

  #piece(path: string, piece: MessagePiece | TurnPiece): void {
    if (piece.kind === 'result') {
      if ('result' in piece) this.#waiting.giveTo(piece.result, '');
      else this.#waiting.give(path, [trimmedResult(piece.body)]);
      return;
    }
    const last = this.#drafts.at(-1)!;
    if (last.action === 'answer') throw afterAnswer(path);
    // What comes after a result is the agent's next turn.
    const draft = last.calls.some(hasEnded) ? this.#begin(path) : last;
    if (piece.kind === 'call') this.#call(draft, askedCall(draft, piece));
    else if (piece.kind === 'think') draft.thoughts.push(piece.body);
    else if (piece.kind === 'text') draft.words.push(this.#map ? piece.body.trim() : piece.body);
    else answers(draft, piece.body);
  }

  #call(draft: Draft, { words, ...call }: AskedCall): void {
    const ends = endOfRun(words, this.#map?.finish ?? []);
    const waiting = { ...call, turn: this.#drafts.length, ends, observation: null };
    draft.calls.push(waiting);
    this.#waiting.add(waiting);
  }

  #given(message: ReadMessage): void {
    for (const piece of message.pieces) {
      if (piece.kind === 'result') this.#result(piece.result, message.role === 'tool');
      else if (piece.kind === 'text') this.#user(message.path, piece.body);
      else this.#remarks.unread(piece.kind, message.path);
    }
  }

  #result(result: FieldResult, isTools: boolean): void {
    const isText = this.#waiting.list[0]?.isText === true && result.ids === undefined;
    if (isText) this.#textResult(result.path, result.texts.join('\n'), isTools);
    else this.#waiting.giveTo(result, this.#hint);
  }

  #user(path: string, text: string): void {
    if (this.#waiting.list[0]?.isText !== true) {
      throw new RowRefusal(
        'unsupported_row',
        'second_user_message',
        path,
        `a trajectory answers one question, but the user speaks again here${this.#hint}`,
      );
    }
    this.#textResult(path, text, false);
  }

  #textResult(path: string, text: string, isTools: boolean): void {
    const waiting = this.#waiting.list.length;
    this.#waiting.give(path, textResults({ text, path, isTools, waiting }, this.#map!.result));
  }

  /** What a run of mini-swe-agent submitted; the call that submitted it has no result. */
  #end(message: ReadMessage): void {
    const { path } = message;
    const { exit_status: status } = (message.kept.extra ?? {}) as { readonly exit_status?: unknown };
    const submission = wordsOf(message);
    if ((status !== undefined && status !== 'Submitted') || submission.trim() === '') {
      throw failedRun(path, String(status ?? 'empty'));
    }
    const last = this.#drafts.at(-1);
    const draft = !last || last.calls.some(hasEnded) ? this.#begin(path) : last;
    draft.calls.splice(0);
    answers(draft, submission);
  }
}

function askedCall(
  { path, calls }: Draft,
  piece: Extract<MessagePiece | TurnPiece, { kind: 'call' }>,
): AskedCall {
  return 'call' in piece ? fieldCall(piece.call) : textCall(`${path}.call[${calls.length}]`, piece);
}

/** What the agent said before its answer is a thought. */
function answers(draft: Draft, answer: string): void {
  draft.thoughts.push(...draft.words);
  draft.words = [answer];
  draft.action = 'answer';
}

function failedRun(path: string, why: string): RowRefusal {
  return new RowRefusal('unsupported_row', 'failed_run', path, `the run ended without a submission (${why})`);
}

function afterAnswer(path: string): RowRefusal {
  return new RowRefusal('unsupported_row', 'text_after_answer', path, 'something follows the answer');
}

function turnOf({ path, thoughts, words, action, calls, kept }: Draft, remarks: RowRemarks): ForeignTurn {
  const reasoning = thoughts.map((thought) => thought.trim()).filter((thought) => thought !== '');
  for (const call of calls) checkArguments(call, remarks);
  return {
    path,
    reasoning: reasoning.length === 0 ? null : reasoning.join('\n\n'),
    text: words.join('\n\n'),
    ...(action && { action }),
    calls: calls.map(({ id: _, turn: _turn, isText: _isText, ends: _ends, isBad: _isBad, ...call }) => call),
    figures: unknownFigures,
    ...(Object.keys(kept).length > 0 && { extra: { openai: kept } }),
  };
}
