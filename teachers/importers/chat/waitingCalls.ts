import { RowRefusal } from '../rowRefusal.ts';
import type { DraftCall } from './draftCalls.ts';
import type { FieldResult } from './readMessage.ts';

/**
 * Pairs results with calls: by id, or else by the name of the function, or else in order. Ids that stand again
 * (`call_0` in every turn) are those of the last turn that has such a call; an earlier one gets no result any more.
 */
export class WaitingCalls {
  #calls: DraftCall[] = [];
  readonly #ids = new Set<string>();

  /** The calls that wait, in order. */
  get list(): readonly DraftCall[] {
    return this.#calls;
  }

  add(call: DraftCall): void {
    this.#calls = this.#calls.filter(({ id, turn }) => id !== call.id || turn === call.turn);
    this.#calls.push(call);
    if (call.id !== undefined) this.#ids.add(call.id);
  }

  /**
   * Gives results to the first calls that wait.
   *
   * @throws RowRefusal (`ambiguous_row`) where there are more
   */
  give(path: string, results: readonly string[]): void {
    const { length } = this.#calls;
    if (results.length > length) {
      throw new RowRefusal(
        'ambiguous_row',
        'more_results_than_calls',
        path,
        `${results.length} results for ${length} calls that wait for one`,
      );
    }
    for (const [at, call] of this.#calls.splice(0, results.length).entries()) call.observation = results[at]!;
  }

  /**
   * Gives a result to the calls that it names; of several each takes one part.
   *
   * @param hint what to do where no call waits
   * @throws RowRefusal (`malformed_row`) for a result that no call waits for
   */
  giveTo(result: FieldResult, hint: string): void {
    const { ids, texts, idsPath } = result;
    const calls = ids?.map((id) => this.#named(id, idsPath)) ?? [this.#oldest(result, hint)];
    const parts = calls.length === 1 ? [texts.join('\n')] : texts;
    if (parts.length !== calls.length) {
      throw new RowRefusal(
        'ambiguous_row',
        'one_result_for_calls',
        idsPath,
        `nothing says which part of the result is that of which of the ${calls.length} calls`,
      );
    }
    calls.forEach((call, at) => {
      ends(call, parts[at]!, result.isError);
    });
  }

  #named(id: string, path: string): DraftCall {
    const call = this.#calls.find((each) => each.id === id);
    if (call) return this.#taken(call);
    throw this.#ids.has(id)
      ? new RowRefusal('malformed_row', 'second_result', path, `the call ${id} has a result already`)
      : new RowRefusal('malformed_row', 'result_without_call', path, `no earlier call has the id ${id}`);
  }

  #oldest({ name, path }: FieldResult, hint: string): DraftCall {
    const call = this.#calls.find((each) => each.name === name) ?? this.#calls[0];
    if (call) return this.#taken(call);
    throw new RowRefusal('malformed_row', 'result_without_call', path, `no call waits for a result${hint}`);
  }

  #taken(call: DraftCall): DraftCall {
    this.#calls = this.#calls.filter((each) => each !== call);
    return call;
  }
}

/** A call whose arguments could not be read failed, where that is what came back. */
function ends(call: DraftCall, text: string, isError: boolean): void {
  if (call.isBad && (isError || saysError.test(text))) call.failure = text;
  else call.observation = text;
}

const saysError = /error|invalid|exception|fail|not valid|could not|couldn.t|cannot|can.t|unable/i;
