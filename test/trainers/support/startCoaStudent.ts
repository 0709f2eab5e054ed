import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Tokenizer } from '../../../contract/tokenizer.ts';

/** A generation of a scripted student. */
export interface StudentStep {
  readonly text: string;
  readonly end: 'stop' | 'eos' | 'length';
}

/** What a scripted student says behind a response so far. */
export type Student = (question: string, response: string) => StudentStep;

/** A request, as far as a test looks at it. */
interface Asked {
  readonly messages?: readonly { readonly content: string }[];
  readonly token_ids?: readonly number[];
  readonly stop?: readonly string[];
  readonly sampling_params?: { readonly stop?: readonly string[]; readonly max_tokens: number };
}

/** A student's endpoint. */
export interface StudentServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  close(): void;
}

/**
 * An endpoint as vLLM serves it: OpenAI's chat completions, which cut a stop text off and name it or not, in turns, and
 * vLLM's own completions of token ids, which keep it.
 */
export async function startCoaStudent(student: Student, tokenizer: Tokenizer): Promise<StudentServer> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = await answer(request).catch((error: Error) => ({ error: { message: error.stack } }));
    response.writeHead('error' in body ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function answer(request: IncomingMessage): Promise<object> {
    if (request.method === 'GET') return { object: 'list', data: [] };
    const body = (await json(request)) as Asked;
    asked.push(body);
    return body.token_ids ? generated(body.token_ids) : chatted(body);
  }

  async function chatted({ messages = [], stop = [] }: Asked): Promise<object> {
    const said = messages.map(({ content }) => content);
    const { text, end } = student(said[1]!, said.slice(2).join(''));
    const stopped = end === 'stop' ? stop.find((one) => text.endsWith(one)) : undefined;
    const content = stopped === undefined ? text : text.slice(0, -stopped.length);
    // One that is not named can be told only by the tag that is open.
    const isOpen = stopped === `</${content.match(/<(\w+)>[^<]*$/)?.[1]}>`;
    const isNamed = !isOpen || asked.length % 2 === 0;
    const prompt_tokens = (await tokenizer.encode(said.join(''))).length;
    const completion_tokens = (await tokenizer.encode(text)).length;
    const choice = {
      index: 0,
      finish_reason: end === 'length' ? 'length' : 'stop',
      message: { role: 'assistant', content },
      ...(isNamed && { stop_reason: stopped ?? null }),
    };
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
    return { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage };
  }

  async function generated(token_ids: readonly number[]): Promise<object> {
    const [prompt, response] = (await tokenizer.decode(Uint32Array.from(token_ids))).split(
      '<|im_start|>assistant\n',
    );
    const { text, end } = student(prompt!, response!);
    const ids = [...(await tokenizer.encode(text))];
    if (end === 'eos') ids.push(tokenizer.controlId('<|im_end|>'));
    const logprobs = { content: ids.map((id) => ({ token: `token_id:${id}`, logprob: -0.5 })) };
    const finish_reason = end === 'length' ? 'length' : 'stop';
    return { request_id: 'x', choices: [{ index: 0, finish_reason, token_ids: ids, logprobs }] };
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
