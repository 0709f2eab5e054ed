/**
 * The answer-key teacher of an example in a process of its own, behind a fixed latency, with what it saw of its slots.
 * Started by `startTeacherServer`, with its settings as JSON in the first argument.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { readBody, sendJson } from '../../teachers/scripted/httpAnswers.ts';
import { answerKeyOf } from '../../test/support/answerKey/answerKeyOf.ts';
import type { TeacherFigures, TeacherSettings } from './startTeacherServer.ts';

const settings = JSON.parse(process.argv[2] ?? '{}') as TeacherSettings;
const answerChat = settings.steps === 1 ? answerAtOnce : await answerKeyOf(settings.configFile, settings);

const figures: TeacherFigures = {
  requests: 0,
  mostAtOnce: 0,
  firstInMs: 0,
  lastOutMs: 0,
  lastBegun: undefined,
};
const rollouts = new Set<string>();
let inFlight = 0;
let busyMs = 0;
let changedMs = 0;

/** Adds up how many were in flight for how long. */
function change(by: 1 | -1): number {
  const now = performance.now();
  if (figures.requests > 0) busyMs += inFlight * (now - changedMs);
  changedMs = now;
  inFlight += by;
  figures.mostAtOnce = Math.max(figures.mostAtOnce, inFlight);
  return now;
}

async function answer(body: string | undefined, response: ServerResponse): Promise<void> {
  const now = change(1);
  if (figures.requests === 0) figures.firstInMs = now;
  figures.requests += 1;
  await delay(settings.latencyMs);
  const { question } = await answerChat(body, response);
  figures.lastOutMs = change(-1);
  if (question === undefined) return;
  // Each rollout of a task sends a seed of its own.
  const rollout = `${question} ${/(?<!\\)"seed":(\d+)/.exec(body ?? '')?.[1]}`;
  if (rollouts.has(rollout)) return;
  rollouts.add(rollout);
  figures.lastBegun = { atMs: now, busyMs };
}

/** A model that plays all roles alone, and answers in its first text. */
function answerAtOnce(body: string | undefined, response: ServerResponse): { readonly question?: string } {
  const [town] = /(?<=town number )\d+/.exec(body ?? '') ?? [];
  const text = `<think>One hop.</think>\n<plan>Say it.</plan>\n<think>I know it.</think>\n<answer>river ${town}</answer>`;
  // It counts no prompts: their tokens would be held against training's.
  const usage = { prompt_tokens: 0, completion_tokens: 20, total_tokens: 20 };
  const choices = [{ index: 0, text, finish_reason: 'stop' }];
  sendJson(response, 200, { object: 'text_completion', model: 'm', choices, usage });
  return {};
}

const server = createServer(async (request, response) => {
  const body = await readBody(request).catch(() => undefined);
  if (request.method !== 'POST') return sendJson(response, 200, { object: 'list', data: [] });
  await answer(body, response);
});
process.on('message', () => process.send!({ ...figures, busyMs }));
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', 4096, () => process.send!((server.address() as AddressInfo).port));
