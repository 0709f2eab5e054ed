import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../../base/json.ts';
import { finishTools } from '../../../schemas/interchange/turnMap.ts';
import type { ForeignCall } from '../runs/foreignRun.ts';

/** A call as stated in a message. */
export interface AskedCall extends Omit<ForeignCall, 'observation' | 'failure' | 'subTurns'> {
  /** Undefined in the text of a turn, and in a field without one. */
  readonly id?: string | undefined;
  /** True for a call in the text of a turn. */
  readonly isText: boolean;
  /** True if its arguments are not an object, which is allowed only for a failed call. */
  readonly isBad: boolean;
  /** Text of the call, which may end the run. */
  readonly words: string;
}

/** A call with its result: null without a failure while pending. */
export interface DraftCall extends AskedCall {
  /** Index of its turn, from 0. */
  readonly turn: number;
  observation: string | null;
  failure?: string;
}

/** A call in a field or part of a message, with raw arguments. */
type GivenCall = Pick<AskedCall, 'path' | 'name' | 'id'> & { readonly given: JsonValue | undefined };

export function fieldCall({ path, id, name, given = null }: GivenCall): AskedCall {
  const read = argumentsOf(given);
  const input = read ?? { arguments: given };
  const [words = ''] = Object.values(input).filter((value) => typeof value === 'string');
  const extra = { openai: { ...(id !== undefined && { id }), name, arguments: given } };
  return { path, id, name, input, isText: false, isBad: !read, extra, words };
}

/** Arguments as an object: directly or from JSON, possibly encoded twice; undefined for anything else. */
export function argumentsOf(given: JsonValue | undefined): JsonObject | undefined {
  if (given == null || given === '') return {};
  let value: JsonValue = given;
  for (let times = 0; times < 2 && typeof value === 'string'; times++) {
    const parsed = safeParseJson(value);
    if (!parsed.ok) return undefined;
    value = parsed.value;
  }
  return isJsonObject(value) ? value : undefined;
}

/** True if a call has a result. */
export function hasEnded({ observation, failure }: DraftCall): boolean {
  return observation !== null || failure !== undefined;
}

/**
 * Text of a call that ends the run: the words after the finishing prefix or, if nothing follows it, the prefix
 * itself, unless the call has a result. A shell command that continues is not an answer. A call without arguments
 * ends a run by the tool's name. Undefined for other calls.
 */
export function endOfRun({ name, input, words, isText }: AskedCall, finish: readonly string[]) {
  if (Object.keys(input).length === 0 && [...finish, ...finishTools].includes(name))
    return { behind: undefined, bare: isText ? name : undefined };
  const first = finish.find(
    (each) => words === each || (words.startsWith(each) && /^[\s;&|>]/.test(words.slice(each.length))),
  );
  if (first === undefined) return undefined;
  const rest = words.slice(first.length);
  const behind = /^\s*[\n;&|>]/.test(rest) ? undefined : rest.trim();
  return { behind: behind || undefined, bare: behind === '' ? words : undefined };
}
