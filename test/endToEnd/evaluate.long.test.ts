import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSpent } from '../../calls/budget/spendingLog.ts';
import type { EvaluationFile } from '../../evaluation/records/evaluationFile.ts';
import type { TaskResult } from '../../evaluation/records/sampleResult.ts';
import { createProject, jsonLines, scriptedTeacher } from '../cli/support/project.ts';
import { runCli, runRefused, runWell } from '../cli/support/runCli.ts';
import type { PlantedRates } from '../support/answerKey/plantedFlaws.ts';
import { startJudgeServer, verdict } from '../support/startJudgeServer.ts';
import { says, startTinyServer } from '../teachers/support/startTinyServer.ts';

const riverTasks = Array.from({ length: 12 }, (_, n) => ({
  id: `q${n}`,
  question: `Which river flows past town number ${n}?`,
  answer: `river ${n}`,
  region: n < 4 ? 'north' : 'south',
  valley: n === 11 ? null : `v${n % 6}`,
}));

function project(planted: PlantedRates): string {
  const cwd = createProject({ tasks: jsonLines(riverTasks), planted, rollouts: 3 });
  const config = `teacher: { ${scriptedTeacher} }
tools: { wiki_search: { corpus: passages.jsonl } }
evaluation:
  benchmarks:
    - { name: rivers, file: tasks.jsonl, profile: mhqa, group_by: region, cluster_by: valley }
`;
  writeFileSync(join(cwd, 'eval.yaml'), config);
  return cwd;
}

const read = (cwd: string, name: string): EvaluationFile =>
  JSON.parse(readFileSync(join(cwd, 'runs', name, 'evaluation.json'), 'utf8'));

test('a player is scored, resumed, compared, and judged again without a call', async () => {
  const cwd = project({ wrong_answer: 0.3, malformed_json: 0.2 });
  const played = await runWell(['evaluate', 'eval.yaml', '--json'], { cwd });
  const [rivers] = read(cwd, 'eval').benchmarks;
  expect(JSON.parse(played.stdout)).toEqual(read(cwd, 'eval'));
  const { samples, reasons, score, tasks } = rivers!.all;
  expect(tasks).toBe(12);
  expect(samples.right + samples.wrong).toBe(12);
  // No answer is the player's fault: it counts as wrong, with its reason.
  expect(reasons.malformed_answer).toBeGreaterThan(0);
  expect(score?.value).toBeCloseTo(samples.right / 12, 12);
  expect(rivers!.groups.north!.tasks).toBe(4);

  const lines = readFileSync(join(cwd, 'runs/eval/results/rivers.jsonl'), 'utf8').trim().split('\n');
  const results = lines.map((line): TaskResult => JSON.parse(line));
  const clusters = results.map(({ cluster }) => cluster);
  // A task without the column is a cluster of its own.
  expect([clusters[0], clusters[1], clusters[11]]).toEqual(['v0', 'v1', undefined]);
  expect(results.flatMap((task) => task.samples).filter(({ result }) => result === 'right')).toHaveLength(
    samples.right,
  );

  const before = readFileSync(join(cwd, 'runs/eval/evaluation.json'), 'utf8');
  rmSync(join(cwd, 'runs/eval/rivers/judge'), { recursive: true });
  await runCli(['evaluate', 'eval.yaml', '--offline'], { cwd });
  expect(readFileSync(join(cwd, 'runs/eval/evaluation.json'), 'utf8')).toBe(before);

  // What is wrong is not played until it is right.
  const again = await runCli(['evaluate', 'eval.yaml', '--retry', 'failed'], { cwd });
  expect(again.stderr).not.toContain('worked on again');
  expect(readFileSync(join(cwd, 'runs/eval/evaluation.json'), 'utf8')).toBe(before);
  await runRefused(
    ['evaluate', 'eval.yaml', '--retry', 'failed:malformed_answer'],
    { cwd },
    'such samples are wrong',
  );

  createProject({ folder: cwd, tasks: jsonLines(riverTasks) });
  const perfect = ['--name', 'perfect'];
  await runWell(['evaluate', 'eval.yaml', ...perfect], { cwd });
  expect(read(cwd, 'perfect').benchmarks[0]!.all.score?.value).toBe(1);
  const compared = await runCli(['compare', 'perfect', 'eval'], { cwd });
  expect(compared.stdout).toContain('rivers: perfect is ahead');
  rmSync(join(cwd, 'runs/eval/results/rivers.jsonl'));
  await runRefused(['compare', 'perfect', 'eval'], { cwd }, 'rivers.jsonl: missing');
});

test('all benchmarks have one budget', async () => {
  const cwd = project({});
  const config = readFileSync(join(cwd, 'eval.yaml'), 'utf8');
  const second = '    - { name: again, file: tasks.jsonl, profile: mhqa }\n';
  writeFileSync(join(cwd, 'eval.yaml'), config + second);
  const spentBy = async (name: string) => {
    const of = (benchmark: string) => readSpent(join(cwd, 'runs', name, benchmark));
    return [await of('rivers'), await of('again')].map(({ tokens }) => tokens);
  };
  await runCli(['evaluate', 'eval.yaml', '--name', 'free'], { cwd });
  const [rivers, again] = (await spentBy('free')) as [number, number];
  const most = rivers + Math.round(again / 2);
  const capped = ['evaluate', 'eval.yaml', '--name', 'capped', '--set', `budget.max_tokens=${most}`];
  const stopped = await runCli(capped, { cwd });
  expect(stopped).toMatchObject({ code: 3, stderr: expect.stringContaining(`of at most ${most} tokens`) });
  const [first, other] = (await spentBy('capped')) as [number, number];
  expect(first).toBe(rivers);
  expect(other).toBeGreaterThan(0);
  expect(first + other).toBeLessThanOrEqual(most);
  await runWell(capped.with(-1, `budget.max_tokens=${2 * most}`), { cwd });
});

test('what the judge fails on is unscored, and the score is not shown', async () => {
  const cwd = project({});
  const server = await startJudgeServer(({ data }) =>
    /number [0-5]\?/.test(String(data.question)) ? 'no JSON' : verdict('correct'),
  );
  const model = `{ model: m, endpoint: { base_url: "${server.baseUrl}", api_key_env: "", max_retries: 0 } }`;
  const judged = ['--set', `judge={ text: model, model: ${model} }`];
  const played = await runWell(['evaluate', 'eval.yaml', ...judged], { cwd });
  expect(played.stdout).toContain('too many unscored');
  expect(played.stderr).toContain(
    'rivers: 6 of 12 samples are unscored, most as unscored: its score is between 50.0 and 100.0.',
  );
  const [rivers] = read(cwd, 'eval').benchmarks;
  expect(rivers).toMatchObject({
    too_many_unscored: true,
    all: { scored_tasks: 6, samples: { right: 6, wrong: 0, unscored: 6 }, bounds: { low: 0.5, high: 1 } },
  });
});

test('mistakes are named with their lines before anything is played', async () => {
  const cwd = project({});
  const text = `evaluation:
  max_unscored: 2
  benchmarks:
    - { name: gaia, file: missing.jsonl }
    - { nam: b, file: tasks.jsonl }
`;
  const refusalOf = async (config: string) => {
    writeFileSync(join(cwd, 'wrong.yaml'), config);
    const { code, stderr } = await runCli(['evaluate', 'wrong.yaml'], { cwd });
    expect(code).toBe(2);
    return stderr;
  };
  const named = (name: string) => text.replace('2\n', '0.5\n').replace('nam: b', `name: ${name}`);
  const wrong = await refusalOf(text);
  expect(wrong).toContain('wrong.yaml:2: evaluation.max_unscored');
  expect(wrong).toContain('wrong.yaml:5: evaluation.benchmarks.1.nam');
  expect(await refusalOf(named('gaia'))).toContain('two benchmarks are called "gaia"');
  expect(await refusalOf(named('results'))).toContain('can be called "results"');
  const one = named('')
    .replace(/\n.*name: , .*/, '')
    .replace('gaia', 'mine, profile: mhqa');
  expect(await refusalOf(one)).toMatch(/wrong\.yaml:4: .*missing\.jsonl/);
  expect(await refusalOf('teacher: { model: { model: m } }\n')).toContain('evaluation.benchmarks');
});

test('a model picks the best of several samples, without the gold answer; its cost and every role are counted', async () => {
  const cwd = project({ wrong_answer: 0.5 });
  const picks: unknown[] = [];
  const server = await startTinyServer(({ body }) => {
    const { messages } = body as { messages: { content: string }[] };
    const data = JSON.parse(messages[1]!.content);
    picks.push(data);
    // It knows better than chance: the rivers are called river.
    const best = data.attempts.findIndex(({ answer }: { answer: string }) => answer.startsWith('river'));
    return says(JSON.stringify({ rationale: 'so', best: best + 1 }));
  });
  const price = 'price: { input_usd_per_million: 1000, output_usd_per_million: 1000 }';
  const endpoint = `{ base_url: "${server.baseUrl}", api_key_env: "", max_retries: 0 }, ${price}`;
  const asked = ['--set', `judge={ model: { model: m, endpoint: ${endpoint} } }`, '--json'];
  const several = ['--set', 'evaluation.best_of_n=true', '--set', 'evaluation.benchmarks.0.samples=3'];
  const play = ['evaluate', 'eval.yaml', ...asked, ...several];
  await runWell(play, { cwd });
  const [result] = read(cwd, 'eval').benchmarks;
  const { score, pass_at, best_of_n } = result!.all;
  expect(picks.length).toBeGreaterThan(0);
  expect(JSON.stringify(picks)).not.toContain('gold');
  expect(best_of_n!.value).toBe(pass_at['3']!.value);
  expect(best_of_n!.value).toBeGreaterThan(score!.value);
  expect(result!.use_by_role.judge_of_best).toMatchObject({ calls: picks.length });
  expect(result!.use_by_role.judge_of_best!.cost_usd).toBeGreaterThan(0);
  expect(result!.use_by_role.orchestrator!.calls).toBeGreaterThan(0);
  expect(result!.grammar).toEqual({ kept: 36, broken: 0 });
  expect(readFileSync(join(cwd, 'runs/eval/results.md'), 'utf8')).toContain('| judge\\_of\\_best |');

  // A second time nobody is asked, and nothing changes.
  const before = readFileSync(join(cwd, 'runs/eval/evaluation.json'), 'utf8');
  const count = picks.length;
  await runCli(play, { cwd });
  expect(picks).toHaveLength(count);
  expect(readFileSync(join(cwd, 'runs/eval/evaluation.json'), 'utf8')).toBe(before);
  await server.close();
  await runRefused([...play.slice(0, 2), ...several], { cwd }, 'expected judge.model');
});
