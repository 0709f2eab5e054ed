import type { JsonObject } from '../../../base/json.ts';
import { type TurnMap, turnMapPresets } from '../../../schemas/interchange/turnMap.ts';
import { refusal } from '../rowRefusal.ts';
import type { RowRemarks } from '../rowRemarks.ts';
import type { ForeignCall, ForeignTurn } from '../runs/foreignRun.ts';
import { type DraftCall, endOfRun, hasEnded } from './askedCall.ts';
import type { FieldResult } from './readMessage.ts';
import { type MessagePiece, type ReadMessage, wordsOf } from './readMessage.ts';
import { textResults } from './textResults.ts';
import { resultMarksOf, turnPieces } from './turnPieces.ts';

/**
 * Pairs results with calls: by id, otherwise by function name, otherwise in order. Repeated ids (`call_0` in every
 * turn) refer to the last turn with such a call; earlier calls get no further result.
 */
class WaitingCalls {
  #calls: DraftCall[] = [];
  readonly #ids = new Set<string | undefined>();

  /** Pending calls, in order. */
  get list(): readonly DraftCall[] {
    return this.#calls;
  }

  add(call: DraftCall): void {
    this.#calls = this.#calls.filter(({ id, turn }) => id !== call.id || turn === call.turn);
    this.#calls.push(call);
    this.#ids.add(call.id);
  }

  /** Assigns results to the first pending calls. Throws `RowRefusal` (`more_results_than_calls`). */
  give(path: string, results: readonly string[]): void {
    const { length } = this.#calls;
    if (results.length > length)
      throw refusal('more_results_than_calls', path, `${results.length} results for ${length} calls`);
    for (const [at, call] of this.#calls.splice(0, results.length).entries()) call.observation = results[at]!;
  }

  /**
   * Assigns a result to the calls that it names; several calls take one part each.
   * @param hint what to do where no call waits
   * @throws RowRefusal (`malformed_row`) for a result that no call waits for
   */
  giveTo({ path, ids, idsPath = path, name, texts, isError = false }: FieldResult, hint: string): void {
    const oldest = () => this.#take((call) => call.name === name) ?? this.#take(() => true);
    const calls = ids?.map((id) => this.#named(id, idsPath)) ?? [oldest()];
    const parts = calls.length === 1 ? [texts.join('\n')] : texts;
    if (parts.length !== calls.length)
      throw refusal('one_result_for_calls', idsPath, `${parts.length} parts for ${calls.length} calls`);
    for (const [at, call] of calls.entries()) {
      if (!call) throw refusal('result_without_call', path, hint);
      // A call with unreadable arguments failed if the result is an error.
      if (call.isBad && (isError || saysError.test(parts[at]!))) call.failure = parts[at]!;
      else call.observation = parts[at]!;
    }
  }

  #named(id: string, path: string): DraftCall {
    const call = this.#take((each) => each.id === id);
    if (call) return call;
    throw refusal(this.#ids.has(id) ? 'second_result' : 'result_without_call', path, `the id is ${id}`);
  }

  #take(fits: (call: DraftCall) => boolean): DraftCall | undefined {
    const call = this.#calls.find(fits);
    this.#calls = this.#calls.filter((each) => each !== call);
    return call;
  }
}

/** Presets with results inside the agents' own turns, right after a call. */
const ownResults = Object.entries(turnMapPresets).flatMap(
  ([preset, { calls, result, result_in_agent_turn }]) => {
    const marks = resultMarksOf(result);
    if (!result_in_agent_turn || !marks) return [];
    const ends = calls.flatMap((call) => (call.form === 'fence' ? [] : [escaped(call.end)]));
    const pattern = new RegExp(`(?:${ends.join('|')})\\s*${escaped(marks.start)}`);
    return [{ preset, pattern, result: marks.start }];
  },
);

function escaped(mark: string): string {
  return mark.replace(/\W/g, '\\$&');
}

const saysError = /error|invalid|exception|fail|not valid|could not|couldn.t|cannot|can.t|unable/i;

interface Draft {
  readonly path: string;
  readonly thoughts: string[];
  words: string[];
  action?: 'answer';
  readonly calls: DraftCall[];
  /** Further fields of the message; of several turns in one message the first has them. */
  readonly kept: JsonObject;
}

/**
 * Turns of an agent: calls and results in fields and parts, and in texts if a map describes them. The content of a
 * tool turn, or of a user turn after a call in a text, is always a result.
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
  const hint = map || hasCalls ? '' : 'if calls and results stand in the text of turns, say --map PRESET';
  const reader = new ChatTurnReader(inTexts, hint, remarks);
  for (const message of messages) reader.read(message);
  return reader.turns();
}

class ChatTurnReader {
  readonly #drafts: Draft[] = [];
  readonly #waiting = new WaitingCalls();
  readonly #map: TurnMap | undefined;
  /** Advice if a result has no pending call. */
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
    if (this.#drafts.at(-1)?.action === 'answer') throw refusal('text_after_answer', path);
    const isAgents = role === 'agent' || role === 'call';
    if (role === 'end') this.#end(message);
    else if (isAgents) this.#agent(message);
    else this.#given(message);
    this.#isOpen = isAgents;
  }

  turns(): ForeignTurn[] {
    this.#answerOfLastCall();
    return this.#drafts.map((draft) => turnOf(draft, this.#remarks));
  }

  /** Takes the answer from a final call that ends runs: its result, or its own text. */
  #answerOfLastCall(): void {
    const last = this.#drafts.at(-1);
    const call = last?.calls.at(-1);
    const ends = call && endOfRun(call, this.#map?.finish ?? []);
    if (!ends) return;
    const { path, observation } = call;
    if (observation?.trim()) this.#printedAnswer(path, observation);
    else {
      const answer = ends.behind ?? (observation === null ? ends.bare : undefined);
      if (answer === undefined && observation !== null) throw refusal('failed_run', path, 'empty');
      if (answer === undefined) return;
      if (answer === ends.bare) this.#remarks.add('end_of_run_is_answer');
      last!.calls.pop();
      answers(last!, answer);
    }
  }

  /** Keeps a tool's output as its observation, which is never trained; the agent's answer repeats it. */
  #printedAnswer(path: string, printed: string): void {
    this.#remarks.add('answer_printed_by_tool');
    answers(this.#begin(path), printed);
  }

  #agent({ path, role, pieces, kept }: ReadMessage): void {
    // A call in its own message belongs to the previous turn.
    if (role !== 'call' || !this.#isOpen) this.#begin(path, kept);
    for (const piece of pieces) {
      const parts = piece.kind === 'text' ? this.#textPieces(piece.body, path) : [piece];
      for (const part of parts) this.#piece(path, part);
    }
  }

  /** Pieces of an agent's text; without a map it may contain none of a tool's. */
  #textPieces(body: string, path: string): readonly MessagePiece[] {
    if (this.#map) return turnPieces(body, this.#map, path);
    const known = ownResults.find(({ pattern }) => pattern.test(body));
    if (known)
      throw refusal('result_in_agent_turn', path, `found ${known.result}; say --map ${known.preset}`);
    return [{ kind: 'text', body }];
  }

  #begin(path: string, kept: JsonObject = {}): Draft {
    const draft: Draft = { path, thoughts: [], words: [], calls: [], kept };
    this.#drafts.push(draft);
    return draft;
  }

  #piece(path: string, piece: MessagePiece): void {
    if (piece.kind === 'result') {
      this.#waiting.giveTo(piece.result, '');
      return;
    }
    const last = this.#drafts.at(-1)!;
    if (last.action === 'answer') throw refusal('text_after_answer', path);
    // Text after a result starts the agent's next turn.
    const draft = last.calls.some(hasEnded) ? this.#begin(path) : last;
    if (piece.kind === 'call') {
      const waiting = { ...piece.call, turn: this.#drafts.length, observation: null };
      draft.calls.push(waiting);
      this.#waiting.add(waiting);
    } else if (piece.kind === 'think') draft.thoughts.push(piece.body);
    else if (piece.kind === 'text') draft.words.push(this.#map ? piece.body.trim() : piece.body);
    else answers(draft, piece.body);
  }

  #given({ path, role, pieces }: ReadMessage): void {
    for (const piece of pieces) {
      const isText = this.#waiting.list[0]?.isText === true;
      if (piece.kind === 'result') {
        const { ids, texts } = piece.result;
        if (!isText || ids) this.#waiting.giveTo(piece.result, this.#hint);
        else this.#textResult(piece.result.path, texts.join('\n'), role === 'tool');
      } else if (piece.kind !== 'text') this.#remarks.unread(piece.kind, path);
      else if (isText) this.#textResult(path, piece.body, false);
      else throw refusal('second_user_message', path, this.#hint);
    }
  }

  #textResult(path: string, text: string, isTools: boolean): void {
    const waiting = this.#waiting.list.length;
    this.#waiting.give(path, textResults({ text, path, isTools, waiting }, this.#map!.result));
  }

  /** Submission of a mini-swe-agent run: the result of the submitting call, which has no other. */
  #end(message: ReadMessage): void {
    const { exit_status = 'Submitted' } = (message.kept.extra ?? {}) as { readonly exit_status?: unknown };
    const submission = wordsOf(message);
    if (exit_status !== 'Submitted' || submission.trim() === '')
      throw refusal('failed_run', message.path, `its status is ${exit_status}`);
    const last = this.#drafts.at(-1) ?? this.#begin(message.path);
    const call = last.calls.at(-1);
    if (!call) answers(last, submission);
    else if (hasEnded(call)) answers(this.#begin(message.path), submission);
    else {
      call.observation = submission;
      const ended = last.calls.filter(hasEnded);
      if (ended.length < last.calls.length) this.#remarks.add('calls_without_result_left_out');
      last.calls.splice(0, last.calls.length, ...ended);
      this.#printedAnswer(message.path, submission);
    }
  }
}

/** Treats text before the answer as a thought. */
function answers(draft: Draft, answer: string): void {
  draft.thoughts.push(...draft.words);
  draft.words = [answer];
  draft.action = 'answer';
}

function turnOf({ path, thoughts, words, action, calls, kept }: Draft, remarks: RowRemarks): ForeignTurn {
  const reasoning = thoughts.map((thought) => thought.trim()).filter((thought) => thought !== '');
  return {
    path,
    reasoning: reasoning.join('\n\n') || null,
    text: words.join('\n\n'),
    ...(action && { action }),
    calls: calls.map((call) => callOf(call, remarks)),
    ...(Object.keys(kept).length > 0 && { extra: { openai: kept } }),
  };
}

/** Arguments that are not an object are kept only for a call that failed because of them, with a remark. */
function callOf(
  { id: _, isText: _t, isBad, words: _w, turn: _u, ...call }: DraftCall,
  remarks: RowRemarks,
): ForeignCall {
  if (call.failure !== undefined) remarks.add('failed_calls');
  else if (isBad) throw refusal('bad_arguments', `${call.path}.function.arguments`, 'expected a JSON object');
  return call;
}
