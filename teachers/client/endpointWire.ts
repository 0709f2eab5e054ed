import type { JsonValue } from '../../base/json.ts';
import type { Recount } from '../../contract/calls.ts';
import type { Usage } from '../../schemas/chat.ts';
import type { OutgoingRequest } from './outgoingRequest.ts';
import { type Completion, readCompletion } from './readCompletion.ts';

/** How one kind of request goes out, and how its answer is read. */
export interface EndpointWire<Answer extends { readonly usage: Usage }> {
  /** Where it goes, under the endpoint's address. */
  readonly path: `/${string}`;
  /**
   * Reads the answer of a 200.
   *
   * @param recounted told when the usage is our own count
   * @throws UnusableBody when it is no answer; RecordFailure when it is one that is of no use
   */
  read(answer: JsonValue, request: OutgoingRequest, recounted: (recount: Recount) => void): Answer;
}

export const chatWire: EndpointWire<Completion> = {
  path: '/chat/completions',
  read: readCompletion,
};
