import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../../base/json.ts';
import { RowRefusal } from '../rowRefusal.ts';
import type { RowRemarks } from '../rowRemarks.ts';
import type { ForeignCall } from '../runs/foreignRun.ts';
import type { FieldCall } from './readMessage.ts';
import type { TurnPiece } from './turnPieces.ts';
import { writtenCall } from './writtenCall.ts';

/** A call whose result is still looked for. */
export interface DraftCall extends Omit<ForeignCall, 'observation' | 'failure'> {
  observation: string | null;
  failure?: string;
  /** Undefined in the text of a turn, and where a field has none. */
  readonly id: string | undefined;
  /** Which turn it stands in, from 0. */
  readonly turn: number;
  /** True for a call in the text of a turn. */
  readonly isText: boolean;
  /** Set for a call that may end the run: the words behind its first ones, or the first ones where they are all. */
  readonly ends: { readonly behind: string | undefined; readonly bare: string | undefined } | undefined;
  /** True where its arguments are no object: only a call that failed may have such. */
  readonly isBad: boolean;
}

/** A call as it stands, and its words. */
export type AskedCall = Omit<DraftCall, 'turn' | 'ends' | 'observation'> & { readonly words: string };

/** A call in the text of a turn. Throws `RowRefusal` (`bad_arguments`) for a body that is not of its form. */
export function textCall(path: string, { form, body }: Extract<TurnPiece, { kind: 'call' }>): AskedCall {
  const call = { ...writtenCall(form, body, path), path, id: undefined };
  return { ...call, isText: true, isBad: false, extra: { openai: { text: body } }, words: body.trim() };
}

/** A call in a field or a part; one whose arguments are no object is marked as bad. */
export function fieldCall({ path, id, name, given = null }: FieldCall): AskedCall {
  const read = argumentsOf(given);
  const input = read ?? { arguments: given };
  const [words = ''] = Object.values(input).filter((value) => typeof value === 'string');
  const extra = { openai: { ...(id !== undefined && { id }), name, arguments: given } };
  return { path, id, name, input, isText: false, isBad: !read, extra, words };
}

/** Arguments as an object: as they stand, or of JSON, which some encode twice; undefined for anything else. */
function argumentsOf(given: JsonValue | undefined): JsonObject | undefined {
  if (given == null || given === '') return {};
  let value: JsonValue = given;
  for (let times = 0; times < 2 && typeof value === 'string'; times++) {
    const parsed = safeParseJson(value);
    if (!parsed.ok) return undefined;
    value = parsed.value;
  }
  return isJsonObject(value) ? value : undefined;
}

/** Whether something came back from a call. */
export function hasEnded({ observation, failure }: DraftCall): boolean {
  return observation !== null || failure !== undefined;
}

/** Whether a call ends the run, and what it says itself. Where a shell goes on behind it, that is no answer. */
export function endOfRun(call: string, finish: readonly string[]): DraftCall['ends'] {
  const first = finish.find(
    (word) =>
      call === word || (/^[\s;&|>]/.test(call.slice(word.length, word.length + 1)) && call.startsWith(word)),
  );
  if (first === undefined) return undefined;
  const rest = call.slice(first.length);
  const behind = /^\s*[\n;&|>]/.test(rest) ? undefined : rest.trim();
  return { behind: behind || undefined, bare: behind === '' ? call : undefined };
}

/**
 * Arguments that are no object stay only with a call that failed by them, which is remarked on.
 *
 * @throws RowRefusal (`bad_arguments`) for any other
 */
export function checkArguments({ path, isText, isBad, failure }: DraftCall, remarks: RowRemarks): void {
  if (failure !== undefined) remarks.add('failed_calls');
  else if (isBad) {
    throw new RowRefusal(
      'malformed_row',
      'bad_arguments',
      `${path}${isText ? '' : '.function'}.arguments`,
      'expected a JSON object, or its text',
    );
  }
}
