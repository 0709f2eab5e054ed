import type OpenAI from 'openai';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Recount } from '../../contract/calls.ts';
import type { Usage } from '../../schemas/chat.ts';
import { type Completion, readCompletion } from './readCompletion.ts';

/** How one kind of request goes out, and how its answer is read. */
export interface EndpointWire<Answer extends { readonly usage: Usage }> {
  send(client: OpenAI, body: JsonObject, options: OpenAI.RequestOptions): { asResponse(): Promise<Response> };
  /**
   * Reads the answer of a 200.
   *
   * @param recounted told when the usage is our own count
   * @throws UnusableBody when it is no answer; RecordFailure when it is one that is of no use
   */
  read(answer: JsonValue, body: JsonObject, recounted: (recount: Recount) => void): Answer;
}

/** Chat completions. */
export const chatWire: EndpointWire<Completion> = {
  send: (client, body, options) =>
    client.chat.completions.create(body as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming, options),
  read: readCompletion,
};
