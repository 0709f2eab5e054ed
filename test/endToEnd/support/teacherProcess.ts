// A teacher as a process of its own, started by `startTeacherProcess`: plays the answer key of a configuration, and
// writes the SHA-256 of each request down before it answers, so that no kill of its client can hide one.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { sha256Hex } from '../../../base/ids.ts';
import { loadConfig } from '../../../pipeline/config/loadConfig.ts';
import type { Task } from '../../../schemas/task.ts';
import { createTaskSource } from '../../../stages/tasks/createTaskSource.ts';
import { answerKeyScript } from '../../../teachers/scripted/answerKeyScript.ts';
import { createChatHandler } from '../../../teachers/scripted/createChatHandler.ts';
import { readBody, sendJson } from '../../../teachers/scripted/httpAnswers.ts';
import { noFaults } from '../../../teachers/scripted/parseFaults.ts';

const [configFile = '', requestLog = '', latencyMs = '0'] = process.argv.slice(2);
const { config, profiles } = await loadConfig(configFile);
const source = createTaskSource({
  sources: config.tasks.sources.map((task) => ({ ...task, path: task.file })),
  onBadTask: 'fail',
  profiles,
});
const tasks: Task[] = [];
for await (const { outcome } of source.run({ signal: new AbortController().signal })) {
  if (outcome.kind === 'emit') tasks.push(...outcome.records);
}
const answer = createChatHandler(answerKeyScript(tasks, config.teacher.planted, config.seed), noFaults);

const server = createServer(async (request, response) => {
  const body = await readBody(request).catch(() => undefined);
  if (request.method !== 'POST') return sendJson(response, 200, { object: 'list', data: [] });
  // A request that was cut off while it was sent asks for nothing.
  if (body === undefined) return;
  appendFileSync(requestLog, `${sha256Hex(body)}\n`);
  await delay(Number(latencyMs));
  answer(body, response);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as { port: number }).port}\n`);
});
