import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RlNextAnswer } from '../../rl/records/next.ts';
import type { RlSegment } from '../../rl/records/rlTrajectory.ts';
import type { RlScoreAnswer, RlScoreRequest } from '../../rl/records/score.ts';
import { createProject, jsonLines } from '../cli/support/project.ts';
import { runCli, startCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { qwen } from '../output/support/qwen.ts';
import { postJson } from '../tools/servers/support/postJson.ts';
import { startRlServer } from './support/rlServer.ts';
import { tryPython } from './support/runPython.ts';
import { type StudentServer, type StudentStep, startCoaStudent } from './support/startCoaStudent.ts';
import { writeModelFolder } from './support/writeModelFolder.ts';

const TASKS = 100;
const most = 1_000;
const call = (n: number) => `<think>I look it up.</think>\n<wiki_search>town number ${n}</wiki_search>`;
const answer = (text: string) => `<think>There it is.</think>\n<answer>${text}</answer>`;
const said = (text: string, end: StudentStep['end'] = 'stop'): StudentStep => ({ text, end });

/** What a student does with a task, of which each does the one at its number's last digit. */
const habits: readonly ((n: number, isFirst: boolean) => StudentStep)[] = [
  (n, isFirst) => said(isFirst ? call(n) : answer(`river ${n}`)),
  (n, isFirst) => said(isFirst ? call(n) : answer(`river ${n + 1}`)),
  (n) => said(answer(`river ${n}`)),
  () => said('I have no idea.', 'eos'),
  () => said('<think>And so on, and', 'length'),
  (n, isFirst) => said(isFirst ? '<think>a </wiki_search>' : ` tag</think>\n<answer>river ${n}</answer>`),
  (n) => said(call(n)),
  (n, isFirst) => said(isFirst ? `${call(n)}\n` : `So: ${answer(`river ${n}`)}`),
  () => said('river 1</answer>'),
  (n) => said(`<think>${'so '.repeat(600)}</think>\n<wiki_search>town number ${n}</wiki_search>`),
];

function student(question: string, response: string): StudentStep {
  // Only the scripted server says so.
  if (response.includes('Tarn')) return said(answer('UNSCORED'));
  const n = Number(/town number (\d+)/.exec(question)![1]);
  return habits[n % habits.length]!(n, response === '');
}

/** A trace of verifiers, as far as it is looked at. */
interface Trace {
  readonly ok: boolean;
  readonly task: { readonly data: { readonly id: string; readonly prompt: string } };
  readonly rewards: Readonly<Record<string, { readonly score: number }>>;
  readonly metrics: Readonly<Record<string, number | null>>;
  readonly info: { readonly coa: RlScoreRequest };
  readonly errors: readonly { readonly type: string; readonly message: string }[];
  readonly nodes: readonly {
    readonly parent?: number | null;
    readonly token_ids: readonly number[];
    readonly mask: readonly boolean[];
  }[];
}

const folder = sharedFolder();
const site = path.join(folder, 'site');
let endpoint: StudentServer;
let environment: { readonly url: string; readonly close: () => void };

beforeAll(async () => {
  const tasks = Array.from({ length: TASKS }, (_, n) => ({
    question: `Which river flows past town number ${n}?`,
    answer: `river ${n}`,
  }));
  const more = `training: { rl: { max_generations: 4, max_response_tokens: ${most} } }
rl:
  tasks: { sft_tasks: keep }
  rewards: { preset: afm_penalties }
`;
  createProject({ folder, tasks: jsonLines(tasks), more });
  for (const args of [
    ['run', 'coa.yaml'],
    ['export', 'coa', '--to', 'verifiers'],
  ]) {
    const result = await runCli(args, { cwd: folder });
    expect(result.code, result.stderr).toBe(0);
  }
  const offline = ['--no-index', '--no-deps', '--no-build-isolation', '--quiet'];
  await evaluated('pip', ['install', ...offline, '--target', site, 'runs/coa/dataset/verifiers']);
  const server = startCli(['serve', 'rl', 'coa', '--port', '0'], {
    cwd: folder,
    env: { COA_RL_TOKEN: 'rl-secret' },
  });
  const [line] = (await once(server.stdout!, 'data')) as [Buffer];
  environment = { url: /http:\/\/\S+/.exec(line.toString())![0], close: () => void server.kill() };
  endpoint = await startCoaStudent(student, qwen);
  await writeModelFolder(path.join(folder, 'model'));
});

afterAll(() => {
  environment.close();
  endpoint.close();
});

/** Runs a program of verifiers' environment; with `fails` set it must not end well. */
async function evaluated(program: string, args: readonly string[], env = {}, fails = false): Promise<string> {
  const result = await tryPython({
    environment: 'verifiers',
    program,
    args,
    folder,
    env: { PYTHONPATH: site, COA_RL_TOKEN: 'rl-secret', ...env },
  });
  expect(result.code === 0, result.output.slice(-4_000)).toBe(!fails);
  return result.output;
}

async function ask<T>(what: 'next' | 'score', body: object): Promise<T> {
  const { status, json } = await postJson(`${environment.url}/v1/${what}`, body, {
    authorization: 'Bearer rl-secret',
  });
  expect(status, JSON.stringify(json)).toBe(200);
  return json as T;
}

/** A task played by the student without verifiers. */
async function played(
  task_id: string,
  question: string,
): Promise<Pick<RlScoreRequest, 'segments' | 'end_reason'>> {
  const segments: RlSegment[] = [];
  const response = () => segments.map(({ text }) => text).join('');
  for (;;) {
    const { text, end: finish_reason } = student(question, response());
    segments.push({ origin: 'model', text });
    if ((await qwen.encode(response())).length > most) return { segments, end_reason: 'length' };
    const next = await ask<RlNextAnswer>('next', { task_id, segments, finish_reason });
    if (next.kind === 'end') return { segments, end_reason: next.reason };
    if (next.kind === 'observation') segments.push({ origin: 'environment', text: next.text });
  }
}

/** Arguments of `vf-eval`. */
function evaluation(name: string): string[] {
  const to = ['--no-push', '--no-rich', '--output-dir', folder, '--run.name', name];
  return ['coa-coa', '--model', 'm', '--client.base-url', `${endpoint.url}/v1`, ...to];
}

/** Evaluates by `vf-eval`, and reads its traces. */
async function evaluate(name: string, more: readonly string[]): Promise<Trace[]> {
  const output = await evaluated('vf-eval', [...evaluation(name), ...more], { COA_RL_URL: environment.url });
  expect(output).not.toContain('Unclosed');
  const lines = readFileSync(path.join(folder, name, 'traces.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.flatMap((line) => (JSON.parse(line) as { traces: Trace[] }).traces);
}

/** What makes verifiers sample token ids by our renderer, as prime-rl does. */
const ofTokens = ['--client.type', 'train', '--client.renderer-model-name', 'model'].concat(
  ['--client.renderer.name', 'custom'],
  ['--client.renderer.import-path', 'coa_coa.coa_renderer.CoaRenderer'],
);

const clients = { chat: [], tokens: ofTokens };

test.each(['chat', 'tokens'] as const)(
  `an evaluation by verifiers over %s gives /v1/score's rewards on ${TASKS} trajectories`,
  async (name) => {
    const traces = await evaluate(name, clients[name]);
    expect(new Set(traces.map(({ task }) => task.data.id)).size).toBe(TASKS);
    for (const { ok, task, info, rewards, metrics } of traces) {
      expect(info.coa).toMatchObject(await played(task.data.id, task.data.prompt));
      const { score, parts } = await ask<RlScoreAnswer>('score', info.coa);
      expect([ok, rewards.reward?.score]).toEqual([true, score]);
      const named = Object.entries(parts).map(([part, value]) => [`part_${part}`, value]);
      expect(metrics).toMatchObject(Object.fromEntries(named));
    }
    const reasons = new Set(traces.map(({ info }) => info.coa.end_reason));
    expect(reasons).toEqual(new Set(['answer', 'no_answer', 'length', 'steps', 'grammar']));
    if (name === 'tokens') await expectTrained(traces);
  },
);

/** Trained is what was sampled, in one text without markup between steps. */
async function expectTrained(traces: readonly Trace[]): Promise<void> {
  const textOf = (ids: readonly number[]) => qwen.decode(Uint32Array.from(ids));
  for (const { nodes, info } of traces) {
    expect(nodes.map(({ parent }) => parent ?? null)).toEqual([null, ...nodes.keys()].slice(0, -1));
    const ids = nodes.flatMap(({ token_ids }) => token_ids);
    const mask = nodes.flatMap((node) => node.mask);
    const { segments, end_reason } = info.coa;
    const end = end_reason === 'no_answer' ? '<|im_end|>' : '';
    const [, response] = (await textOf(ids)).split('<|im_start|>assistant\n');
    expect(response).toBe(segments.map(({ text }) => text).join('') + end);
    const sampled = segments.filter(({ origin }) => origin === 'model').map(({ text }) => text);
    expect(await textOf(ids.filter((_, at) => mask[at]))).toBe(sampled.join('') + end);
  }
  const params = endpoint.asked.flatMap(({ sampling_params }) => sampling_params ?? []);
  expect(params[0]).toMatchObject({ stop: ['</wiki_search>', '</answer>'], max_tokens: most });
  expect(Math.min(...params.map(({ max_tokens }) => max_tokens))).toBeLessThan(most);
}

test('the package holds questions and no answers', () => {
  const rows = readFileSync(path.join(site, 'coa_coa/train.jsonl'), 'utf8');
  expect(rows.match(/town number \d+\?/g)).toHaveLength(TASKS);
  expect(rows).not.toMatch(/river \d/);
});

test('a tool or a judge that fails is an error of the trace, and no reward', async () => {
  const scripted = await startRlServer();
  try {
    const settings = ['-n', '1', '--env.taskset.base-url', scripted.url];
    const [trace] = await evaluate('unscored', settings);
    expect(trace).toMatchObject({ ok: false, rewards: { reward: null } });
    expect(trace!.errors.at(-1)).toMatchObject({
      type: 'TaskError',
      message: expect.stringContaining('unscored (reward): the scripted judge fault'),
    });
  } finally {
    await scripted.close();
  }
});

test.each([
  [{}, 'environment (no_address): set COA_RL_URL'],
  [{ COA_RL_URL: 'http://127.0.0.1:9' }, 'environment (unreachable): http://127.0.0.1:9/v1/environment'],
])('without a server an evaluation ends with one line: %j', async (env, message) => {
  const output = await evaluated('vf-eval', [...evaluation('none')], env, true);
  expect(output).toContain(message);
  expect(output).toContain('Start it with: coa-distill serve rl RUN');
  expect(output).not.toContain('Traceback');
});
