import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { benchmarkRow } from '../../evaluation/benchmarkTable.ts';
import type { BenchmarkResult } from '../../evaluation/records/evaluationFile.ts';
import type { Task } from '../../schemas/task.ts';
import { jsonLines } from '../cli/support/project.ts';
import { runWell } from '../cli/support/runCli.ts';
import { answerKeyLines } from '../support/answerKey/answerKeyOf.ts';
import { rightAnswer } from '../support/answerKey/playedAnswer.ts';
import { emittedTasks, readTasks } from '../support/readTasks.ts';
import { startJudgeServer, verdict } from '../support/startJudgeServer.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { startTinyServer } from '../teachers/support/startTinyServer.ts';
import { benchmarkFiles } from './support/afmBenchmarks.ts';

const atlas = resolve('examples/atlas');
const endpoint = (baseUrl: string) => `{ base_url: "${baseUrl}", api_key_env: "", max_retries: 0 }`;

/** A folder with every benchmark's file, and the task that each question is. */
async function project() {
  const cwd = temporaryFolder();
  const judge = await startJudgeServer(() => verdict('correct'));
  const tasks: Task[] = [];
  const lines: string[] = [];
  for (const [name, given] of Object.entries(benchmarkFiles)) {
    const file = typeof given === 'string' ? given : join(cwd, `${name}.jsonl`);
    if (typeof given !== 'string') writeFileSync(file, jsonLines(given));
    const profile = benchmarkRow(name)!.profile;
    tasks.push(...emittedTasks(await readTasks([{ path: file, profile }], { limit: 2 })));
    lines.push(`    - { name: ${name}, file: "${file}" }`);
  }
  const config = (teacher: string) => `teacher: ${teacher}
tools:
  site: { folder: ${atlas}/site, host: atlas.example }
  web_search: {}
  crawl_page: {}
  wiki_search: { corpus: ${atlas}/passages.jsonl }
  code: { timeout_s: 20 }
judge: { model: { model: m, endpoint: ${endpoint(judge.baseUrl)} } }
evaluation:
  benchmarks:
${lines.join('\n')}
`;
  writeFileSync(join(cwd, 'script.jsonl'), answerKeyLines(tasks));
  // The prompt of a program holds the shorter question of the same sum.
  tasks.sort((a, b) => b.question.length - a.question.length);
  return { cwd, tasks, config };
}

const bothRight = { right: 2, wrong: 0, unscored: 0 };
const backends = {
  team: () => '{ backend: scripted, script: script.jsonl, rollouts: 1 }',
  student: (baseUrl: string) =>
    `{ backend: coa_model, model: { model: m, endpoint: ${endpoint(baseUrl)} }, rollouts: 1, player: { server: transformers } }`,
};

test.each(['team', 'student'] as const)(
  'every benchmark opens by its name, and is played and scored by a %s',
  async (player) => {
    const { cwd, tasks, config } = await project();
    const { baseUrl } = await startTinyServer(({ path, body }) => {
      if (!path.endsWith('/completions')) return { body: { data: [] } };
      const prompt = String(body.prompt);
      const task = tasks.find((one) => prompt.includes(one.question))!;
      const text = `<think>I know.</think>\n<answer>${rightAnswer(task)}</answer>`;
      const usage = { prompt_tokens: 0, completion_tokens: 9, total_tokens: 9 };
      return { body: { model: 'm', choices: [{ index: 0, text, finish_reason: 'stop' }], usage } };
    });
    writeFileSync(join(cwd, `${player}.yaml`), config(backends[player](baseUrl)));
    const played = await runWell(['evaluate', `${player}.yaml`, '--limit', '2', '--json'], { cwd });
    const found: BenchmarkResult[] = JSON.parse(played.stdout).benchmarks;
    expect(Object.fromEntries(found.map((one) => [one.name, one.all.samples]))).toEqual(
      Object.fromEntries(Object.keys(benchmarkFiles).map((one) => [one, bothRight])),
    );
  },
);
