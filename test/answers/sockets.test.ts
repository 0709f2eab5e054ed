import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { askService } from '../../tools/askService.ts';
import { createAllowedHosts } from '../../tools/fetch/allowedHosts.ts';
import { askForPage } from '../../tools/fetch/askForPage.ts';
import { createGuardedDispatcher } from '../../tools/fetch/createGuardedDispatcher.ts';
import { retrievalEndpoint } from '../../tools/servers/retrievalEndpoint.ts';
import { model, startEnvironment } from '../rl/support/startEnvironment.ts';
import { modelAt, neverAborted, plainRequest } from '../teachers/support/tinyModel.ts';
import { postJson } from '../tools/servers/support/postJson.ts';
import { rawRequest } from '../tools/servers/support/rawRequest.ts';
import { echo, serve } from '../tools/servers/support/serve.ts';

/*
 * Answers and questions over HTTP, where a connection is used again and no answer names its question: a client whose server
 * answers twice, late or not at all, and servers of ours whose clients ask several things at once. Not in reach of a client: a
 * second answer that crosses the next question, where the server does not name the request (`x-client-request-id`).
 */

const LATE_MS = 300;

/** What a server does with each of its answers. */
const faults: Readonly<Record<string, (socket: Socket, answer: string) => void>> = {
  none: (socket, answer) => socket.write(answer),
  twice: (socket, answer) => socket.write(answer + answer),
  'again, later': (socket, answer) => {
    socket.write(answer);
    setTimeout(() => socket.writable && socket.write(answer), 20);
  },
  late: (socket, answer) => void setTimeout(() => socket.writable && socket.write(answer), 2 * LATE_MS),
  lost: () => {},
};

/** Every third answer of a server has the fault. It says what it was asked: the body, or the path behind `/`. */
async function startFaultyServer(fault: string, wrap: (said: string) => string = String): Promise<string> {
  let count = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    let read = '';
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      read += chunk;
      const head = /^[\s\S]*?\r\n\r\n/.exec(read)?.[0];
      const length = /content-length: (\d+)/i.exec(head ?? '')?.[1] ?? '0';
      if (head === undefined || read.length < head.length + Number(length)) return;
      const body = read.slice(head.length);
      read = '';
      const said = wrap(body || /^GET \/(\S*)/.exec(head)![1]!);
      const answer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(said)}\r\n\r\n${said}`;
      faults[count++ % 3 === 1 ? fault : 'none']!(socket, answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Ask = (n: number) => Promise<number>;

const clients: Readonly<Record<string, (fault: string) => Promise<Ask>>> = {
  async 'a service of the user’s own'(fault) {
    const url = await startFaultyServer(fault);
    const request = { url, method: 'POST', headers: {}, timeoutMs: LATE_MS, maxBytes: 1_000 } as const;
    return async (n) => Number((await askService({ ...request, body: String(n) }, neverAborted)).text);
  },
  async 'a model'(fault) {
    const says = (body: string) => {
      const { messages } = JSON.parse(body) as { messages: { content: string }[] };
      return JSON.stringify({ choices: [{ message: { content: messages[0]!.content } }] });
    };
    const model = modelAt(await startFaultyServer(fault, says), {
      timeout_s: LATE_MS / 1_000,
      max_retries: 0,
    });
    return async (n) => {
      const request = { ...plainRequest, messages: [{ role: 'user', content: String(n) }] } as const;
      return Number((await model.chat(request, neverAborted)).content);
    };
  },
  async 'a site'(fault) {
    const address = await startFaultyServer(fault);
    const allowed = createAllowedHosts([{ kind: 'network', network: '127.0.0.0', prefix: 8 }]);
    const dispatcher = createGuardedDispatcher(new Map(), undefined, allowed, LATE_MS);
    onTestFinished(() => dispatcher.destroy());
    const options = { dispatcher, maxBytes: 1_000, userAgent: 'test' };
    return async (n) => {
      const { page } = await askForPage(new URL(`/${n}`, address), options, AbortSignal.timeout(LATE_MS));
      if (page.kind !== 'page') throw new Error(page.kind);
      return Number(Buffer.from(page.bytes).toString());
    };
  },
};

const cases = Object.keys(clients).flatMap((client) =>
  Object.keys(faults).map((fault) => [client, fault] as const),
);

test.each(cases)('%s that answers %s moves no answer', async (client, fault) => {
  const ask = await clients[client]!(fault);
  for (let n = 0; n < 12; n += 1) {
    const said = await ask(n).catch(() => 'failed');
    expect([n, 'failed']).toContain(said);
    if (fault === 'none') expect(said).toBe(n);
    // A second answer comes while nobody waits.
    await delay(fault === 'again, later' ? 100 : 0);
  }
});

test('a server of ours answers questions of one connection in their order', async () => {
  let count = 0;
  const { server } = await serve(echo(() => delay(count++ === 0 ? 100 : 0)));
  const asked = ['first', 'second', 'third'].map((word, at) => {
    const body = JSON.stringify({ word });
    const head = `POST /echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`;
    return `${head}${at === 2 ? '\r\nconnection: close' : ''}\r\n\r\n${body}`;
  });
  const said = await rawRequest(server.url, asked.join(''));
  expect([...said.matchAll(/"word":"(\w+)"/g)].map(([, word]) => word)).toEqual(['first', 'second', 'third']);
});

/** Without a fault a loaded machine may take its time. */
const limitOf = (fault: string) => (fault === 'none' ? 20_000 : LATE_MS);

/** Servers of ours, asked for a number that their answer holds, and what is behind them, which has the fault. */
const served: Readonly<Record<string, (fault: string) => Promise<Ask>>> = {
  async 'a served tool'(fault) {
    const url = await startFaultyServer(fault);
    const request = { url, method: 'POST', headers: {}, timeoutMs: limitOf(fault), maxBytes: 1_000 } as const;
    const retrieve = async ([query]: readonly string[], _: number, signal: AbortSignal) => {
      const { text } = await askService({ ...request, body: query }, signal);
      return [[{ id: '1', contents: text, score: 1 }]];
    };
    const { server } = await serve(retrievalEndpoint({ retrieve }, 1));
    return async (n) => {
      const { json } = await postJson(server.url, { queries: [String(n)] });
      return Number((json.result as { contents: string }[][])[0]![0]!.contents);
    };
  },
  async 'a reward of RL'(fault) {
    const scoreIn = (body: string) =>
      JSON.stringify({ score: (JSON.parse(body) as { response_tokens: number }).response_tokens });
    const own = { url: await startFaultyServer(fault, scoreIn), timeout_s: limitOf(fault) / 1_000 };
    const rl = await startEnvironment({
      config: { rl: { rewards: { reward: { sum: ['own'] }, custom: { own } } } },
    });
    return async (n) => {
      const { score } = await rl.score([model('<answer>x</answer>')], { response_tokens: n });
      if (score === null) throw new Error('unscored');
      return score;
    };
  },
};

test.each(
  Object.keys(served).flatMap((server) => Object.keys(faults).map((fault) => [server, fault] as const)),
)('%s whose service answers %s moves no answer', async (server, fault) => {
  const ask = await served[server]!(fault);
  let right = 0;
  for (let round = 0; round < 3; round += 1) {
    const numbers = [1, 2, 3, 4].map((n) => 4 * round + n);
    const said = await Promise.all(numbers.map((n) => ask(n).catch(() => 'failed')));
    for (const [at, one] of said.entries())
      expect(fault === 'none' ? [numbers[at]] : [numbers[at], 'failed']).toContain(one);
    right += said.filter((one) => one !== 'failed').length;
    await delay(100);
  }
  expect(right).toBeGreaterThan(0);
});
