/**
 * Works through tasks of some model calls each, in one of three ways, and reports what it took. Started by
 * `runChatClient`, with its settings as JSON in the first argument.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import OpenAI from 'openai';
import PQueue from 'p-queue';
import { Agent, request } from 'undici';
import { systemClock } from '../../base/systemClock.ts';
import { SpendingLog } from '../../calls/budget/spendingLog.ts';
import { SpendingMeter } from '../../calls/budget/spendingMeter.ts';
import { createCachingChatModel, createModelFlights } from '../../calls/cache/createCachingModels.ts';
import { SqliteAnswerCache } from '../../calls/cache/sqliteAnswerCache.ts';
import { createEndpointPools } from '../../calls/limits/createEndpointPools.ts';
import { createObservedChatModel } from '../../calls/observedCalls.ts';
import { callEvents } from '../../calls/sessionCalls.ts';
import { openEventLog } from '../../pipeline/run/eventLog.ts';
import { StageLog } from '../../pipeline/run/stageLog.ts';
import type { ChatMessage } from '../../schemas/chat.ts';
import { endpointConfigSchema } from '../../schemas/config/endpoint.ts';
import { createChatModel } from '../../teachers/client/createChatModel.ts';
import { createEndpointRegistry } from '../../teachers/client/endpointCapabilities.ts';
import type { ChatClientFigures, ChatClientSettings } from './runChatClient.ts';

const { way, baseUrl, tasks, callsPerTask, concurrency } = JSON.parse(process.argv[2]!) as ChatClientSettings;
/** As in a run, and the same for all ways: more tasks than calls, so that those which wait leave their place to others. */
const TASKS_A_CALL = 1.25;
const never = new AbortController().signal;
const context = 'Some context that a step of a multi-agent conversation brings along. '.repeat(14);

function messagesOf(task: number, call: number): ChatMessage[] {
  return [
    { role: 'system', content: context },
    { role: 'user', content: `Task ${task}, step ${call}: what comes next?` },
  ];
}

/** Asks once; resolves with the answer's text. */
type Ask = (task: number, call: number) => Promise<string | null>;

/** Calls at once for the ways that have no limits of their own. */
function limited(ask: Ask): Ask {
  const calls = new PQueue({ concurrency });
  return (task, call) => calls.add(() => ask(task, call));
}

/** What users write by hand: `p-queue` and `openai`, with the package's own retries. */
function plainAsk(): Ask {
  const client = new OpenAI({ baseURL: baseUrl, apiKey: 'none' });
  return async (task, call) => {
    const completion = await client.chat.completions.create({
      model: 'bench',
      messages: messagesOf(task, call) as OpenAI.ChatCompletionMessageParam[],
    });
    return completion.choices[0]!.message.content;
  };
}

/** The least that a call over HTTP can cost on Node. */
function bareAsk(): Ask {
  const dispatcher = new Agent();
  return async (task, call) => {
    const { body } = await request(`${baseUrl}/chat/completions`, {
      dispatcher,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'bench', messages: messagesOf(task, call) }),
    });
    const completion = (await body.json()) as { choices: { message: { content: string } }[] };
    return completion.choices[0]!.message.content;
  };
}

/** The model client as a run has it: limits, budget, cache, events, a key that is looked for in answers. */
async function ownAsk(folder: string): Promise<{ ask: Ask; close(): Promise<void> }> {
  const endpoint = { ...endpointConfigSchema.parse({ concurrency }), base_url: baseUrl };
  const price = { input_usd_per_million: 1, output_usd_per_million: 4 };
  const pool = createEndpointPools(systemClock)([
    {
      baseUrl,
      apiKey: 'sk-bench-0123456789abcdefghijklmnopqrstuvwxyz',
      weight: 1,
      fallback: false,
      concurrency,
      requestsPerMinute: undefined,
      tokensPerMinute: undefined,
      probes: endpoint.max_retries,
    },
  ]);
  const spending = await SpendingLog.open(folder, systemClock);
  const events = await openEventLog(folder, systemClock);
  const caps = { maxCostUsd: 1000, maxTokens: 1e9 };
  const meter = new SpendingMeter({ log: spending, caps, drain: never, onSpent: () => {} });
  const cache = await SqliteAnswerCache.open(path.join(folder, 'cache.sqlite'), console.error);
  const asked = createChatModel({
    model: 'bench',
    endpoint: { ...endpoint, price },
    pool,
    clock: systemClock,
    capabilities: createEndpointRegistry().capabilitiesFor(endpoint, 'bench'),
    meter,
  });
  const observer = callEvents(events);
  const model = createCachingChatModel({
    model: createObservedChatModel({ model: asked, provider: 'bench', observer, clock: systemClock }),
    cache,
    provider: 'bench',
    settings: {},
    costOf: () => 0,
    offline: false,
    clock: systemClock,
    flights: createModelFlights(),
  });
  const works = Array.from({ length: tasks }, (_, task) => ({ task_id: `task_${task}` }));
  return {
    async ask(task, call) {
      const scope = { work: works[task]!, role: 'planner' as const };
      const asked = { messages: messagesOf(task, call), sampling: {} };
      return (await model.chat(asked, never, scope)).content;
    },
    async close() {
      await spending.close();
      await events.close();
      await cache.close();
    },
  };
}

async function work(ask: Ask, log: StageLog | undefined): Promise<number> {
  const queue = new PQueue({ concurrency: Math.ceil(concurrency * TASKS_A_CALL) });
  let right = 0;
  for (let task = 0; task < tasks; task++) {
    void queue.add(async () => {
      const contents: (string | null)[] = [];
      try {
        for (let call = 0; call < callsPerTask; call++) contents.push(await ask(task, call));
      } catch {
        return;
      }
      right += contents.every((content) => content?.startsWith('An answer')) ? 1 : 0;
      const id = `task_${task}`;
      const outcome = { kind: 'emit', records: [{ id, task_id: id, contents }] } as const;
      log?.record({ index: task, recordId: id, taskId: id, outcome });
      await log?.ready();
    });
  }
  await queue.onIdle();
  return right;
}

const folder = await mkdtemp(path.join(tmpdir(), 'rollouts-bench-'));
try {
  const own = way === 'coa-distill' ? await ownAsk(folder) : undefined;
  const log = own && (await StageLog.open(folder, 'rollout'));
  const before = process.resourceUsage();
  const right = await work(own?.ask ?? limited(way === 'openai' ? plainAsk() : bareAsk()), log);
  await log?.flush();
  const after = process.resourceUsage();
  const cpuMs = (after.userCPUTime + after.systemCPUTime - before.userCPUTime - before.systemCPUTime) / 1000;
  const figures: ChatClientFigures = { right, cpuMs, peakBytes: after.maxRSS * 1024 };
  await log?.close();
  await own?.close();
  process.send!(figures);
} finally {
  await rm(folder, { recursive: true });
}
process.disconnect();
process.exit();
