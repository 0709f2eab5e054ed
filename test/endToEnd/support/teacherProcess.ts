// A teacher as a process of its own, started by `startTeacherProcess`: plays the answer key of a configuration. It writes
// the SHA-256 and the time of each request down before it answers, so that no kill of its client can hide one, and then its tokens.
import { appendFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { sha256Hex } from '../../../base/ids.ts';
import { readBody, sendJson } from '../../../teachers/scripted/httpAnswers.ts';
import { answerKeyOf } from '../../support/answerKey/answerKeyOf.ts';

const [configFile = '', requestLog = '', slowMs = '0', options = '{}'] = process.argv.slice(2);
let latencyMs = Number(slowMs);
process.on('SIGUSR2', () => {
  latencyMs = 0;
});
const answer = await answerKeyOf(configFile, JSON.parse(options));

const server = createServer(async (request, response) => {
  const body = await readBody(request).catch(() => undefined);
  if (request.method !== 'POST') return sendJson(response, 200, { object: 'list', data: [] });
  // A request that was cut off while it was sent asks for nothing.
  if (body === undefined) return;
  appendFileSync(requestLog, `${sha256Hex(body)} ${Date.now()}\n`);
  await delay(latencyMs);
  bill(response);
  answer(body, response);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as { port: number }).port}\n`);
});

/** Charges for an answer, also where nobody is there any more to read it. */
function bill(response: ServerResponse): void {
  const end = response.end.bind(response);
  response.end = ((bytes: Buffer) => {
    const { usage } = JSON.parse(bytes.toString('utf8'));
    appendFileSync(`${requestLog}.billed`, `${usage?.total_tokens ?? 0}\n`);
    return end(bytes);
  }) as typeof response.end;
}
