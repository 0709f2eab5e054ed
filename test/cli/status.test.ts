import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { liveLines, yieldText } from '../../cli/progress/progressLine.ts';
import { ProgressView } from '../../cli/progress/progressView.ts';
import { statusLines } from '../../cli/statusFromCommandLine.ts';
import { emitRecord } from '../../contract/stage.ts';
import { yieldOfFunnel } from '../../operations/report/yieldOfFunnel.ts';
import { eventLineSchema } from '../../schemas/run/eventLine.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { stillClock } from '../teachers/support/clocks.ts';
import { startTinyServer } from '../teachers/support/startTinyServer.ts';
import { spentNothing } from '../viewer/support/reportSample.ts';
import { createProject, jsonLines, riverTasks, sampleTasks } from './support/project.ts';
import { finished, runCli, runWell, startCli } from './support/runCli.ts';
import { signalAt, untilStopped } from './support/signalAt.ts';
import { startSampleTeacher } from './support/startSampleTeacher.ts';

test('a live view has a bar, the requests and the forecast; without a terminal it is one line', () => {
  const pace = { total: 100, done: 50, doneNow: 50, elapsedMs: 10_000, leftMs: 10_000, concurrency: 8 };
  const state = { stage: 'rollout', ...pace };
  const fates = { kept: 45, dropped: 0, failed: 5, tokens: 1_000, costUsd: 1 };
  const forecast = {
    seen: 20,
    costUsd: { low: 1.8, expected: 2, high: 2.2 },
    tokens: { low: 1_800, expected: 2_000, high: 2_200 },
  };
  expect(
    liveLines({ ...state, ...fates, requests: { answered: 60, inFlight: 7, retries: 3 }, forecast }),
  ).toEqual([
    'rollout  [############............] 50/100 · 5.0/s · 10 s left · 8 in flight',
    '         solved 45 · dropped 0 · failed 5 · requests: 60 answered, 7 in flight, 3 retries · 1,000 tokens · $1.00',
    '         at the end about $2.00 ($1.80 to $2.20) · about 2,000 (1,800 to 2,200) tokens',
  ]);
});

test('what went all the way says what one kept row costs, and how many there will be', () => {
  const row = (stage: string, entered: number, emitted: number, dropped = 0) => ({
    ...{ stage, entered, emitted },
    ...{ dropped: dropped > 0 ? { wrong_answer: dropped } : {}, failed: {} },
  });
  const funnel = [
    row('tasks', 200, 200),
    row('rollout', 200, 90),
    row('convert', 90, 60),
    row('judge', 50, 50),
  ];
  expect(yieldOfFunnel(funnel, 9)).toBeUndefined();
  expect(yieldOfFunnel([...funnel, row('filter', 0, 0)], 9)).toBeUndefined();
  const all = { ...row('filter', 40, 30, 8), failed: { internal: 2 } };
  const soFar = yieldOfFunnel([...funnel, all], 9);
  const most_lost = { reason: 'wrong_answer', records: 8 };
  expect(soFar).toEqual({
    finished: 40,
    kept: 30,
    cost_usd_a_kept_row: 0.3,
    expected_kept: { low: expect.any(Number), expected: 150, high: expect.any(Number) },
    most_lost,
  });
  const few = { ...row('filter', 9, 9) };
  expect(yieldOfFunnel([row('rollout', 200, 9), few], 0)).toMatchObject({
    ...{ finished: 9, expected_kept: null, most_lost: null },
  });
  expect(yieldText(soFar!)).toBe(
    '30 of 40 finished are kept (75%) · most lost: wrong_answer (8) · $0.30 a kept row · about 150 (122 to 169) at the end',
  );
  expect(yieldText({ ...soFar!, cost_usd_a_kept_row: null, expected_kept: null, most_lost: null })).toBe(
    '30 of 40 finished are kept (75%)',
  );
});

test('nothing in a run folder can write to the screen, and no cost is said where no price is known', () => {
  const row = { entered: 2, emitted: 1, dropped: { '\u001b[2J\u202efake': 1 }, failed: {} };
  const lines = statusLines({
    run: 'copy',
    folder: '/runs/copy',
    config_hash: 'x',
    complete: false,
    running: false,
    spent: { ...spentNothing, tokens: 1_200, requests: 3 },
    funnel: [{ stage: 'tasks\u009b2J', ...row, complete: false }],
  });
  expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(lines.at(-1)).toBe('spent: 3 requests · 1,200 tokens');
});

test('a live view redraws in place, and leaves nothing of itself behind', async () => {
  const out = Object.assign(new PassThrough(), { isTTY: true, columns: 80 }) as unknown as NodeJS.WriteStream;
  const view = new ProgressView(stillClock(), out);
  view.stageStarted('rollout', 3, 1, () => 2);
  view.stageStarted('filter', null, 0, () => 1);
  view.outcome('filter', { index: 0, recordId: 'a', taskId: 'a', outcome: emitRecord({}) });
  await new Promise((resolve) => setTimeout(resolve, 400));
  view.close();
  const text = String((out as unknown as PassThrough).read());
  expect(text).toContain('rollout: 1 done earlier, going on\n');
  expect(text).toContain('[########................] 1/3');
  expect(text).toContain('1 of 1 finished are kept (100%)');
  expect(text.endsWith('\r\u001b[2A\u001b[J')).toBe(true);
});

test('what a run says while it goes holds what it is billed in the end, in a session that goes on too', async () => {
  const tasks = riverTasks(30);
  const { baseUrl } = await startSampleTeacher(1, tasks);
  const price = { input_usd_per_million: 1, output_usd_per_million: 2 };
  const endpoint = { base_url: baseUrl, api_key_env: '' };
  const cwd = createProject({
    tasks: jsonLines(tasks),
    teacher: JSON.stringify({
      model: { model: 'm', sampling: { max_tokens: 500 }, endpoint, price },
      concurrency: 8,
    }),
  });
  const whole = await runWell(['run', '--name', 'whole'], { cwd });
  const spentOf = async (name: string) =>
    JSON.parse((await runCli(['status', name, '--json'], { cwd })).stdout).spent;
  const { cost_usd, tokens } = await spentOf('whole');
  const capped = await runCli(['run', '--name', 'cut', '--max-cost', String(cost_usd / 4)], { cwd });
  expect(capped.code, capped.stderr).toBe(3);
  const resumed = await runCli(['run', '--name', 'cut', '--max-cost', (cost_usd * 4).toFixed(3)], { cwd });
  for (const { stderr } of [whole, resumed]) {
    const said = [
      ...stderr.matchAll(/forecast from \d+ rollouts: .* · about \S+ \((\S+) to (\S+)\) tokens/g),
    ];
    expect(said.length, stderr).toBeGreaterThan(0);
    for (const [, low, high] of said) {
      expect(Number(low!.replaceAll(',', ''))).toBeLessThanOrEqual(tokens);
      expect(Number(high!.replaceAll(',', ''))).toBeGreaterThanOrEqual(tokens);
    }
  }
  // What was in flight at the stop is in the cache: nothing is paid twice.
  expect(await spentOf('cut')).toMatchObject({ tokens, cost_usd: expect.closeTo(cost_usd, 9) });
});

test('a run can be watched from a second terminal until it ends, and its events are lines for machines', async () => {
  const { baseUrl } = await startSampleTeacher(5);
  const teacher = `{ model: { model: m, endpoint: { base_url: "${baseUrl}", api_key_env: "" } }, concurrency: 2 }`;
  const cwd = createProject({ teacher });
  // It stands still until it is watched.
  const running = startCli(['run', '--until', 'judge'], { cwd, env: signalAt('SIGSTOP', /\/rollout\//) });
  const ended = finished(running);
  await untilStopped(running);
  const watch = startCli(['status', 'coa', '--watch', '--json'], { cwd });
  const watched = finished(watch);
  watch.stdout!.once('data', () => running.kill('SIGCONT'));
  const { code, stdout, stderr } = await watched;
  expect(code, stderr).toBe(0);
  expect((await ended).code).toBe(0);
  const seen = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(seen.at(-1)).toMatchObject({ running: false });
  expect(seen[0]).toMatchObject({ running: true });
  const events = readFileSync(join(cwd, 'runs/coa/events.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => eventLineSchema.parse(JSON.parse(line)));
  const calls = events.filter(({ event }) => event === 'model_call');
  const status = JSON.parse((await runCli(['status', 'coa', '--json'], { cwd })).stdout);
  expect(calls).toHaveLength(status.spent.requests);
  expect(calls[0]).toMatchObject({ role: 'planner', model: 'm', outcome: 'ok', provider: baseUrl });
  expect(events.filter(({ event }) => event === 'tool_call')[0]).toMatchObject({
    tool: 'wiki_search',
    outcome: 'ok',
  });
  expect(JSON.stringify(calls)).not.toContain('river');
});

test('no secret of the environment, the address or a header is in any byte that is written or printed', async () => {
  const key = 'sk-planted-key-0123456789abcdef';
  const password = 'planted-password-42';
  const query = 'planted-query-4242';
  const other = 'planted-elsewhere-424242';
  // Says back whatever it was sent, as some gateways do when something is wrong.
  const echo = await startTinyServer(({ headers, path }) => ({
    status: path.includes('models') ? 200 : 400,
    body: { error: { message: `no: ${headers.authorization} ${path}` }, data: [] },
  }));
  onTestFinished(() => echo.close());
  const address = echo.baseUrl.replace('http://', `http://user:${password}@`);
  const teacher = `{ model: { model: m, endpoint: { base_url: "${echo.baseUrl}", api_key_env: PLANTED } } }`;
  const cwd = createProject({ teacher });
  const env = {
    PLANTED: key,
    OPENAI_API_KEY: other,
    SERPER_API_KEY: other,
    OTEL_EXPORTER_OTLP_HEADERS: `x=${other}`,
  };
  const leaky = { ...env, OPENAI_BASE_URL: `${address}?key=${query}` };
  const outputs = [
    await runCli(['run', '--dry-run'], { cwd, env }),
    await runCli(['run'], { cwd, env }),
    await runCli(['run', '--debug'], { cwd, env }),
    await runCli(['run', '--base-url', `${address}?key=${query}`, '--debug'], { cwd, env }),
    await runCli(['run'], { cwd, env: leaky }),
    await runCli(['status', 'coa'], { cwd, env }),
    await runCli(['view', 'coa', '--export'], { cwd, env }),
  ];
  expect(echo.requests.some(({ headers }) => headers.authorization === `Bearer ${key}`)).toBe(true);
  const printed = outputs.map(({ stdout, stderr }) => stdout + stderr).join('\n');
  const written = readdirSync(join(cwd, 'runs'), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'));
  expect(written.length).toBeGreaterThan(5);
  for (const secret of [key, password, query, other]) {
    expect([secret, printed.includes(secret), written.some((text) => text.includes(secret))]).toEqual([
      secret,
      false,
      false,
    ]);
  }
});

test('where there are no runs, those of folders below are named', async () => {
  const cwd = temporaryFolder();
  expect((await runWell(['status'], { cwd })).stdout).not.toContain('below');
  mkdirSync(join(cwd, 'my shop'));
  createProject({ folder: join(cwd, 'my shop'), tasks: jsonLines(sampleTasks.slice(0, 1)) });
  await runWell(['run', '--until', 'tasks'], { cwd: join(cwd, 'my shop') });
  expect((await runWell(['status'], { cwd })).stdout).toContain("status 'my shop/runs/coa'");
});

test('a run that was copied to another place goes on there, and asks nothing again', async () => {
  const { baseUrl, asked } = await startSampleTeacher(0);
  const teacher = `{ model: { model: m, endpoint: { base_url: "${baseUrl}", api_key_env: "" } } }`;
  const first = createProject({ teacher, tasks: jsonLines(sampleTasks) });
  await runWell(['run', '--until', 'rollout'], { cwd: first });
  const before = asked();
  const elsewhere = join(temporaryFolder(), 'elsewhere');
  cpSync(first, elsewhere, { recursive: true });
  rmSync(first, { recursive: true });
  await runWell(['run'], { cwd: elsewhere });
  expect(asked()).toBe(before);
  expect(existsSync(join(elsewhere, 'runs/coa/dataset/manifest.json'))).toBe(true);
});
