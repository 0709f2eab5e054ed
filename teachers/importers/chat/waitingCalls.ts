import { refusal } from '../rowRefusal.ts';
import type { DraftCall } from './askedCall.ts';
import type { FieldResult } from './readMessage.ts';

/**
 * Pairs results with calls: by id, or else by the name of the function, or else in order. Ids that stand again
 * (`call_0` in every turn) are those of the last turn that has such a call; an earlier one gets no result any more.
 */
export class WaitingCalls {
  #calls: DraftCall[] = [];
  readonly #ids = new Set<string | undefined>();

  /** The calls that wait, in order. */
  get list(): readonly DraftCall[] {
    return this.#calls;
  }

  add(call: DraftCall): void {
    this.#calls = this.#calls.filter(({ id, turn }) => id !== call.id || turn === call.turn);
    this.#calls.push(call);
    this.#ids.add(call.id);
  }

  /** Gives results to the first calls that wait. Throws `RowRefusal` (`more_results_than_calls`). */
  give(path: string, results: readonly string[]): void {
    const { length } = this.#calls;
    if (results.length > length)
      throw refusal('more_results_than_calls', path, `${results.length} results for ${length} calls`);
    for (const [at, call] of this.#calls.splice(0, results.length).entries()) call.observation = results[at]!;
  }

  /**
   * Gives a result to the calls that it names; of several each takes one part.
   *
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
      // A call whose arguments could not be read failed, where that is what came back.
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

const saysError = /error|invalid|exception|fail|not valid|could not|couldn.t|cannot|can.t|unable/i;
