import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../../base/userError.ts';
import type { ChatMessage } from '../../../schemas/chat.ts';
import type { ScriptEntry } from '../../../schemas/teacherScript.ts';
import { parseFaults } from '../../../teachers/scripted/parseFaults.ts';
import {
  type ScriptedServerOptions,
  startScriptedServer,
} from '../../../teachers/scripted/startScriptedServer.ts';
import { closesWithTest } from '../../support/closesWithTest.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { allTools, taskOf, teamOf, toolOf, traceOf } from '../support/team.ts';
import { modelAt, neverAborted } from '../support/tinyModel.ts';

const { question } = taskOf('mhqa');
const entry: ScriptEntry = {
  question,
  profile: 'mhqa',
  flaw: null,
  steps: [
    { action: 'plan', think: 'Vell first.', plan: 'Find the founder – naïve, but 🙂 enough.' },
    {
      action: 'tool',
      tool: 'wiki_search',
      think: 'Look for Vell.',
      input: { query: 'founder of Vell' },
      extract: { founder: 'founder of Vell was ([^.]+)\\.', year: 'in (\\d{4})' },
    },
    { action: 'reflection', think: 'Enough?', reflection: '{{founder}} is named; the year is {{year}}.' },
    { action: 'answer', think: 'Named: {{founder}}.', answer: '{{founder}} {{unset}}' },
  ],
};

let server: Awaited<ReturnType<typeof startScriptedServer>>;

async function serve(
  flaw: ScriptEntry['flaw'] = null,
  more: Partial<ScriptedServerOptions> = {},
): Promise<string> {
  const script = { find: (asked: string) => (asked === question ? { ...entry, flaw } : undefined) };
  server = closesWithTest(await startScriptedServer({ script, ...more }));
  return server.baseUrl;
}

const solve = (baseUrl: string, more: Parameters<typeof teamOf>[1] = {}, settings = {}) =>
  teamOf(modelAt(baseUrl, settings), more).solve(taskOf('mhqa'), { signal: neverAborted });

const planning: ChatMessage[] = [
  { role: 'system', content: 'You are a team of agents.' },
  { role: 'user', content: `Question:\n${question}\n\n=== your turn: planner ===\nPlan.` },
];

describe('the answer follows what the tools show', () => {
  test.each([
    ['The founder of Vell was Bo Ferrin.', 'Bo Ferrin'],
    ['The founder of Vell was Cy <answer>Lorn</answer>.', 'Cy <answer>Lorn</answer>'],
    ['Nothing is known.', 'unknown'],
  ])('%s', async (observation, founder) => {
    const tools = new Map(allTools).set(
      'wiki_search',
      toolOf('wiki_search', 'query', () => observation),
    );
    for (const tool_calls of ['native', 'structured'] as const) {
      const trace = traceOf(await solve(await serve(), { tools }, { tool_calls }));
      expect(trace.final_answer).toBe(`${founder} {{unset}}`);
      expect(trace.events.at(-3)).toMatchObject({
        answer: { reflection: `${founder} is named; the year is unknown.` },
      });
    }
  });
});

describe('flaws', () => {
  test.each([
    ['refusal', 'model_refused'],
    ['malformed_json', 'malformed_answer'],
  ] as const)('%s ends as %s', async (flaw, cause) => {
    expect(await solve(await serve(flaw))).toMatchObject({ kind: 'failed', failure: { cause } });
  });

  test('malformed_json_once recovers', async () => {
    const { events } = traceOf(await solve(await serve('malformed_json_once')));
    expect(events[0]).toMatchObject({
      role: 'planner',
      malformed: [{ error: expect.stringContaining('JSON') }],
    });
  });
});

describe('faults on the wire', () => {
  test('are survived with retries, and the trace is the same as without', async () => {
    const calm = traceOf(await solve(await serve()));
    const faults = parseFaults('429=0.2,500=0.2,cut=0.2,retry_after_s=0,seed=1');
    const requestLog = join(temporaryFolder(), 'requests.jsonl');
    const rough = await solve(await serve(null, { faults, requestLog }), {}, { max_retries: 12 });
    expect(traceOf(rough).id).toBe(calm.id);
    await server.close();
    const log = readFileSync(requestLog, 'utf8');
    expect(log).toContain('"fault":"500"');
    expect(log).toContain('"fault":"cut"');
  });
});

describe('the wire', () => {
  const client = (baseURL: string) => new OpenAI({ baseURL, apiKey: 'sk-my-own', maxRetries: 0 });

  test('a streamed answer adds up to the whole one', async () => {
    const openai = client(await serve());
    const whole = await openai.chat.completions.create({ model: 'any', messages: planning as never });
    const stream = await openai.chat.completions.create({
      model: 'any',
      messages: planning as never,
      stream: true,
      stream_options: { include_usage: true },
    });
    let content = '';
    let usage: unknown;
    let finish: string | null = null;
    for await (const chunk of stream) {
      content += chunk.choices[0]?.delta.content ?? '';
      finish = chunk.choices[0]?.finish_reason ?? finish;
      usage = chunk.usage ?? usage;
    }
    expect(content).toBe(whole.choices[0]!.message.content);
    expect(JSON.parse(content)).toEqual({
      think: 'Vell first.',
      plan: 'Find the founder – naïve, but 🙂 enough.',
    });
    expect(usage).toEqual(whole.usage);
    expect(finish).toBe('stop');
  });

  test('tool calls stream too', async () => {
    const openai = client(await serve());
    const messages = [
      { role: 'system', content: 'You are a team of agents.' },
      { role: 'user', content: `Question:\n${question}` },
      { role: 'assistant', content: '=== plan ===\nx' },
      { role: 'user', content: '=== your turn: tool agent ===\nCall it.' },
    ];
    const tools = [{ type: 'function' as const, function: { name: 'wiki_search', parameters: {} } }];
    const stream = openai.chat.completions.stream({ model: 'any', messages: messages as never, tools });
    const { message, finish_reason } = (await stream.finalChatCompletion()).choices[0]!;
    expect(finish_reason).toBe('tool_calls');
    expect(message.tool_calls).toMatchObject([
      { function: { name: 'wiki_search', arguments: '{"query":"founder of Vell"}' } },
    ]);
  });

  test('a cut stream breaks off', async () => {
    const openai = client(await serve(null, { faults: parseFaults('cut=1') }));
    const reading = async () => {
      const stream = await openai.chat.completions.create({
        model: 'm',
        messages: planning as never,
        stream: true,
      });
      for await (const chunk of stream) expect(chunk.id).toMatch(/^chatcmpl-/);
    };
    await expect(reading()).rejects.toThrow();
  });

  test('errors have the shape that OpenAI gives them', async () => {
    const openai = client(await serve());
    const other = [
      planning[0],
      { role: 'user', content: 'Question:\nAnother one?\n\n=== your turn: planner ===\nPlan.' },
    ];
    await expect(
      openai.chat.completions.create({ model: 'm', messages: other as never }),
    ).rejects.toMatchObject({
      status: 404,
      code: 'off_script',
      message: expect.stringContaining('Another one?'),
    });
    await expect(openai.chat.completions.create({ model: 'm', messages: [] })).rejects.toMatchObject({
      status: 400,
    });
    await expect(openai.embeddings.create({ model: 'm', input: 'x' })).rejects.toMatchObject({ status: 404 });
    await expect(
      client(await serve(null, { faults: parseFaults('429=1,retry_after_s=3') })).chat.completions.create({
        model: 'm',
        messages: planning as never,
      }),
    ).rejects.toSatisfy(
      (error: InstanceType<typeof OpenAI.APIError>) =>
        error.status === 429 && error.headers?.get('retry-after') === '3',
    );
  });

  test('models are listed', async () => {
    const { data } = await client(await serve()).models.list();
    expect(data.map((model) => model.id)).toEqual(['scripted-teacher']);
  });

  test('the log has a line a request, and no key', async () => {
    const requestLog = join(temporaryFolder(), 'requests.jsonl');
    const openai = client(await serve(null, { requestLog }));
    await openai.chat.completions.create({ model: 'any', messages: planning as never });
    await openai.models.list();
    await server.close();
    const text = readFileSync(requestLog, 'utf8');
    expect(text).not.toContain('sk-my-own');
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { method: 'POST', path: '/v1/chat/completions', role: 'planner', model: 'any', status: 200, usage: {} },
      { method: 'GET', path: '/v1/models', status: 200 },
    ]);
  });

  test('a taken port is the mistake of the user', async () => {
    const port = Number(new URL(await serve()).port);
    await expect(startScriptedServer({ script: { find: () => undefined }, port })).rejects.toThrow(UserError);
  });
});
