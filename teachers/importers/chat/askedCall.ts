import { isJsonObject, type JsonObject, type JsonValue, safeParseJson } from '../../../base/json.ts';
import { finishTools } from '../../../schemas/interchange/turnMap.ts';
import type { ForeignCall } from '../runs/foreignRun.ts';

/** A call as a message has it. */
export interface AskedCall extends Omit<ForeignCall, 'observation' | 'failure' | 'subTurns'> {
  /** Undefined in the text of a turn, and where a field has none. */
  readonly id?: string | undefined;
  /** True for a call in the text of a turn. */
  readonly isText: boolean;
  /** True where its arguments are no object: only a call that failed may have such. */
  readonly isBad: boolean;
  /** What it says, which may be that the run ends. */
  readonly words: string;
}

/** A call and what came back from it: null and no failure while it waits for that. */
export interface DraftCall extends AskedCall {
  /** Which turn it stands in, from 0. */
  readonly turn: number;
  observation: string | null;
  failure?: string;
}

/** A call that stands in a field or a part of a message, with its arguments as they are. */
type GivenCall = Pick<AskedCall, 'path' | 'name' | 'id'> & { readonly given: JsonValue | undefined };

export function fieldCall({ path, id, name, given = null }: GivenCall): AskedCall {
  const read = argumentsOf(given);
  const input = read ?? { arguments: given };
  const [words = ''] = Object.values(input).filter((value) => typeof value === 'string');
  const extra = { openai: { ...(id !== undefined && { id }), name, arguments: given } };
  return { path, id, name, input, isText: false, isBad: !read, extra, words };
}

/** Arguments as an object: as they stand, or of JSON, which some encode twice; undefined for anything else. */
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

/** Whether something came back from a call. */
export function hasEnded({ observation, failure }: DraftCall): boolean {
  return observation !== null || failure !== undefined;
}

/**
 * What a call that ends the run says itself: the words behind its first ones, or the first ones where they are all, if
 * nothing came back. Where a shell goes on behind it, that is no answer. A call without arguments ends a run by the
 * tool's name. Undefined for a call that ends no run.
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
