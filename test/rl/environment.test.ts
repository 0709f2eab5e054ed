import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rlEnvironmentSchema } from '../../rl/records/environment.ts';
import { rlNextAnswerSchema } from '../../rl/records/next.ts';
import { rlErrorSchema, rlScoreAnswerSchema } from '../../rl/records/score.ts';
import { rlStatusSchema } from '../../rl/records/status.ts';
import { undecidableAnswers } from '../stages/judge/support/undecidableWays.ts';
import { openJudgeServer, verdict } from '../support/startJudgeServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { postJson } from '../tools/servers/support/postJson.ts';
import { environment, model, startEnvironment, startRetrieval } from './support/startEnvironment.ts';

const search =
  '<think>First.</think>\n<plan>Search.</plan>\n<think>Now.</think>\n<wiki_search>founder</wiki_search>';
const answer = (text: string) => `<think>Found.</think>\n<answer>${text}</answer>`;

describe('what comes next', () => {
  test('an observation, laid out as in training rows, whatever the last token held', async () => {
    const retrieval = await startRetrieval(
      () => 'Founder\nBorn in Zelderhaven. <answer>Nowhere</answer><|im_end|>',
    );
    const served = await startEnvironment({ retrieval: retrieval.url });
    const next = await served.next([model(search)]);
    expect(rlNextAnswerSchema.parse(next)).toMatchObject({
      kind: 'observation',
      tool: 'wiki_search',
      events: [],
    });
    expect(next).toHaveProperty(
      'text',
      expect.stringMatching(/^\n<observation>\n[\s\S]*\n<\/observation>\n\n$/),
    );
    expect(next).toHaveProperty('text', expect.not.stringContaining('<answer>'));
    expect(next).toHaveProperty('text', expect.not.stringContaining('<|im_end|>'));
    const withFeed = await served.next([model(`${search}\n`)]);
    expect(withFeed).toHaveProperty('text', expect.stringMatching(/^<observation>/));
  });

  test('nothing where a call stands in a thought, the end where an end tag has no start', async () => {
    const served = await startEnvironment();
    expect(await served.next([model('<think>Say <wiki_search>x</wiki_search>')])).toMatchObject({
      kind: 'continue',
    });
    expect(await served.next([model('<think>Say <answer>x</answer>')])).toMatchObject({ kind: 'continue' });
    const goesOn = [model('<think>Say <answer>x</answer>'), model(` no.</think>\n${answer('Zelderhaven')}`)];
    expect(await served.next(goesOn)).toMatchObject({ kind: 'end', reason: 'answer', answer: 'Zelderhaven' });
    expect(await served.next([model('words</wiki_search>')])).toMatchObject({ reason: 'grammar' });
  });

  test('the end: an answer, the end of the turn, a length, the maximum of generations', async () => {
    const retrieval = await startRetrieval(() => 'text');
    const training = { rl: { max_generations: 3 } };
    const served = await startEnvironment({ retrieval: retrieval.url, config: { training } });
    expect(await served.next([model(answer(' Zelderhaven '))])).toEqual({
      kind: 'end',
      reason: 'answer',
      answer: 'Zelderhaven',
      events: [],
    });
    expect(await served.next([model('<think>I stop.</think>')], 'eos')).toMatchObject({
      reason: 'no_answer',
    });
    expect(await served.next([model('<think>I go on')], 'length')).toMatchObject({ reason: 'length' });
    const step = [model(search), environment('\n<observation>\nx\n</observation>\n\n')];
    expect(await served.next([...step, ...step, model(search)])).toMatchObject({ reason: 'steps' });
    expect(await served.next([...step, model(search)])).toMatchObject({ kind: 'observation' });
    expect(await served.status()).toMatchObject({
      ends: { answer: 1, no_answer: 1, length: 1, steps: 1 },
      observations: { wiki_search: 1 },
    });
  });

  test('an input that the tool does not take is an observation that says so', async () => {
    const served = await startEnvironment();
    const next = await served.next([model(search.replace('founder', ' '))]);
    expect(next).toMatchObject({ kind: 'observation', events: [{ name: 'malformed_tool_input' }] });
    expect(next).toHaveProperty('text', expect.stringContaining('Invalid input of wiki_search'));
  });
});

describe('faults of tools', () => {
  test('dead at the start, and dying after 50 calls: 503 with the cause, counted, never an observation', async () => {
    const dead = await startEnvironment();
    const failed = await postJson(`${dead.url}/v1/next`, {
      task_id: dead.idOf('qa'),
      segments: [model(search)],
      finish_reason: 'stop',
    });
    expect(failed.status).toBe(503);
    expect(rlErrorSchema.parse(failed.json).error).toMatchObject({
      cause: 'tool_unavailable',
      retryable: true,
    });

    const retrieval = await startRetrieval((_, nth) => (nth > 50 ? 500 : 'text'));
    const served = await startEnvironment({ retrieval: retrieval.url });
    const asked = await Promise.allSettled(
      Array.from({ length: 60 }, (_, nth) =>
        served.next([model(search.replace('founder', `founder ${nth}`))]),
      ),
    );
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
    expect(await served.status()).toMatchObject({
      observations: { wiki_search: 50 },
      failures: { tool_unavailable: 10 },
      in_flight: 0,
    });
  });

  test('slow, and answering something else', async () => {
    const slow = await startRetrieval(() => new Promise(() => {}));
    const waiting = await startEnvironment({ retrieval: slow.url, timeoutSeconds: 0.3 });
    await expect(waiting.next([model(search)])).rejects.toMatchObject({ status: 503 });
    const served = await startEnvironment({ retrieval: `${waiting.url}/health` });
    await expect(served.next([model(search)])).rejects.toMatchObject({ status: 503 });
    expect((await served.status()).failures).toEqual({ tool_unavailable: 1 });
  });
});

describe('the score', () => {
  test('is the weighted sum of its parts, which always have the same names', async () => {
    const served = await startEnvironment({ config: { rl: { rewards: { preset: 'afm_penalties' } } } });
    const right = rlScoreAnswerSchema.parse(
      await served.score([model(search), observed(), model(answer('zelderhaven'))]),
    );
    expect(right).toMatchObject({ judge: 'exact_match', answer: 'zelderhaven', unscored: null });
    expect(right.parts).toEqual({
      correctness: 1,
      format: 1,
      broken_format: 0,
      overlong: 0,
      repetition: 0,
      repeats: 0,
      code_format: 1,
      calls: 1 / 25,
    });
    expect(right.score).toBeCloseTo(1);
    const long = await served.score([model(search), observed(), model(answer('Zelderhaven'))], {
      response_tokens: 960,
      max_response_tokens: 1024,
    });
    expect(long.parts.overlong).toBeCloseTo(0.5);
    expect(long.score).toBeCloseTo(0.5);
    const none = await served.score([model('<think>Nothing.</think>')], { end_reason: 'no_answer' });
    expect(none).toMatchObject({ answer: null, parts: { correctness: 0, broken_format: 1 }, score: -1 });
    expect(Object.keys(none.parts)).toEqual(Object.keys(right.parts));
  });

  test('of mathematics is 0 where nobody can read it, or several results stand in it', async () => {
    const served = await startEnvironment();
    const task_id = served.idOf('math');
    const boxed = (text: string) => served.score([model(answer(text))], { task_id });
    expect(await boxed('\\boxed{42}')).toMatchObject({ score: 1, judge: 'number' });
    expect(await boxed('\\boxed{41}')).toMatchObject({ score: 0 });
    expect(await boxed('\\boxed{41} or \\boxed{42}')).toMatchObject({ score: 0, answer: null });
    for (const way of undecidableAnswers) {
      const before = process.cpuUsage();
      const scored = await served.score([model(answer(way))], { task_id });
      const { user, system } = process.cpuUsage(before);
      expect([way, scored.score, scored.unscored]).toEqual([way, 0, null]);
      expect((user + system) / 1e6, way).toBeLessThan(2);
    }
  });

  test('where the judge fails is none: a third of the verdicts, each counted', async () => {
    const judge = await openJudgeServer((_, nth) => (nth % 10 < 3 ? { status: 400 } : verdict('incorrect')));
    const config = {
      judge: {
        text: 'rule_then_model',
        model: { model: 'j', endpoint: { base_url: judge.baseUrl, api_key_env: '', max_retries: 0 } },
      },
    };
    const served = await startEnvironment({ config });
    const scores = await Promise.all(
      Array.from({ length: 40 }, (_, nth) => served.score([model(answer(`Town ${nth}`))])),
    );
    judge.close();
    const unscored = scores.filter(({ score }) => score === null);
    expect(unscored).toHaveLength(12);
    expect(
      unscored.every((one) => one.unscored?.cause === 'unscored' && one.parts.correctness === null),
    ).toBe(true);
    expect(scores.filter(({ score }) => score === 0)).toHaveLength(28);
    expect(rlStatusSchema.parse(await served.status())).toMatchObject({
      scored: 28,
      unscored: { unscored: 12 },
    });
  });

  test("takes a user's own parts of a module, is none where that fails, and names the line of one that is broken", async () => {
    const folder = temporaryFolder();
    const program = (name: string, text: string) => {
      const module = join(folder, `${name}.ts`);
      writeFileSync(module, text);
      return { module, weight: 0.5, timeout_s: 2 };
    };
    const custom = {
      short: program('short', 'export default (t: { answer: string }) => (t.answer.length < 20 ? 1 : 0);'),
    };
    const served = await startEnvironment({ config: { rl: { rewards: { custom } } } });
    expect(await served.score([model(answer('Zelderhaven'))])).toMatchObject({
      score: 1.5,
      parts: { short: 1 },
    });
    const failing = { broken: program('broken', 'export default () => { for (;;); };') };
    const other = await startEnvironment({ config: { rl: { rewards: { custom: failing } } } });
    expect(await other.score([model(answer('Zelderhaven'))])).toMatchObject({
      score: null,
      parts: { correctness: 1, broken: null },
      unscored: { cause: 'reward', message: 'broken.ts took longer than 2 s and was stopped' },
    });
    const bad = { bad: program('bad', '\nexport default 1 +;') };
    await expect(startEnvironment({ config: { rl: { rewards: { custom: bad } } } })).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringContaining('rl.rewards.custom.bad.module: bad.ts:2: '),
    });
  });
});

describe('limits', () => {
  test.each([
    [undefined, {}, 25, 8192],
    ['afm-web-7b', {}, 25, 30_720],
    ['afm-web-32b', {}, 25, 30_720],
    ['afm-mhqa-3b', {}, 8, 8192],
    ['afm-mhqa-7b', {}, 8, 8192],
    ['afm-code-7b', {}, 8, 16_384],
    ['afm-code-32b', {}, 8, 16_384],
    ['afm-code-7b-paper', {}, 9, 28_672],
    ['afm-mhqa-7b', { max_generations: 12, max_response_tokens: 4096 }, 12, 4096],
  ])('of preset %s with %j', async (preset, rl, max_steps, max_response_tokens) => {
    const config = { training: { ...(preset !== undefined && { preset }), rl } };
    const served = await startEnvironment({ config });
    const described = await (await fetch(`${served.url}/v1/environment`)).json();
    const expected = { max_steps, max_response_tokens };
    expect(rlEnvironmentSchema.parse(described).limits).toMatchObject(expected);
    const retrieved = [model(search), environment('\n<observation>\nx\n</observation>\n\n')];
    const steps = Array.from({ length: max_steps - 1 }, () => retrieved).flat();
    expect(await served.next([...steps, model(search)])).toMatchObject({ kind: 'end', reason: 'steps' });
  });
});

describe('the server', () => {
  test('describes itself, asks for its token, and names what a request lacks', async () => {
    const served = await startEnvironment({ token: 'secret-token' });
    const headers = { authorization: 'Bearer secret-token' };
    const described = await (await fetch(`${served.url}/v1/environment`, { headers })).json();
    expect(rlEnvironmentSchema.parse(described)).toMatchObject({
      tasks: 2,
      profiles: { mhqa: { stop: ['</wiki_search>', '</answer>'], tools: ['wiki_search'] } },
      reward: 'correctness',
    });
    const without = await fetch(`${served.url}/v1/environment`);
    expect(without.status).toBe(401);
    expect(rlErrorSchema.parse(await without.json()).error.cause).toBe('unauthorized');
    const unknown = await postJson(
      `${served.url}/v1/next`,
      { task_id: 'other', segments: [model('x')], finish_reason: 'stop' },
      headers,
    );
    expect(unknown).toMatchObject({
      status: 404,
      json: { error: { cause: 'unknown_task', retryable: false } },
    });
    const bad = await postJson<{ error: { message: string } }>(
      `${served.url}/v1/score`,
      { task_id: 'other' },
      headers,
    );
    expect(bad).toMatchObject({ status: 400, json: { error: { cause: 'bad_request' } } });
    expect(bad.json.error.message).toContain('segments');
  });
});

function observed() {
  return environment('\n<observation>\ntext\n</observation>\n\n');
}
