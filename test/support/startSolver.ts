import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** A question that a solver was asked. */
interface AskedQuestion {
  readonly system: string;
  readonly question: string;
  /** The request's seed: of the try `n` it is `sampling.seed` and `n`. */
  readonly seed: number;
}

/** A chat endpoint that answers questions at once. */
export interface Solver {
  readonly baseUrl: string;
  /** Questions that get an answer, as `seed question`, in the order in which they came. */
  readonly answered: readonly string[];
}

/** Starts a chat endpoint on the loopback for the length of a test: words, or a status without any. */
export async function startSolver(
  solve: (asked: AskedQuestion) => string | number,
  latencyMs = 0,
): Promise<Solver> {
  const answered: string[] = [];
  const server = createServer(async (incoming: IncomingMessage, response) => {
    const body = await text(incoming);
    const send = (status: number, answer: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    if (incoming.method !== 'POST') return send(200, { object: 'list', data: [] });
    const { messages, seed = 0 } = JSON.parse(body) as { messages: { content: string }[]; seed?: number };
    const [system, user] = messages;
    const question = user!.content;
    const said = solve({ system: system!.content, question, seed });
    // Before its time has passed: no kill of its client can hide one.
    if (typeof said !== 'number') answered.push(`${seed} ${question}`);
    await delay(latencyMs);
    if (typeof said === 'number') return send(said, { error: { message: 'planted', type: 'error' } });
    const message = { role: 'assistant', content: said };
    const usage = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    return send(200, { id: 'c', object: 'chat.completion', created: 1, model: 'small', choices, usage });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, answered };
}
