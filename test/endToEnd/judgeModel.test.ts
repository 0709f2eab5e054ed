import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../base/json.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { createProject, jsonLines, sampleTasks } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';
import { startJudgeServer, verdict } from '../support/startJudgeServer.ts';

const read = <T>(folder: string, file: string): T[] =>
  readFileSync(join(folder, 'runs/coa', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

/** The teacher's answer key says `river n`; half of the tasks call the same river by another name. */
const tasks = sampleTasks.map((task, n) =>
  n % 2 === 0 ? task : { ...task, answer: [task.answer, 'the stream'] },
);

test('a run judged by a model: nothing it fails on is a label, a retry asks again, the counts add up', async () => {
  let isIll = true;
  const server = await startJudgeServer(({ data }) => {
    if ('steps' in data) {
      const said = { rationale: 'r', failed_criteria: [1], judgement: 'incorrect' };
      return JSON.stringify(said);
    }
    if (isIll && String(data.question).includes('number 3')) return 'no JSON';
    return verdict('correct');
  });
  const cwd = createProject({
    tasks: jsonLines(tasks),
    more: `judge:
  text: model
  instructions: { rubric: ["It never plans."] }
  model:
    model: judge
    sampling: { max_tokens: 200 }
    endpoint: { base_url: "${server.baseUrl}", api_key_env: "", max_retries: 0 }
  votes: 3
filters: { min_interactions: { mhqa: 0 } }
`,
  });
  const first = await runCli(['run'], { cwd });
  expect(first.code, first.stderr).toBe(2);
  const failures = read<{ kind: string; failure?: JsonObject }>(cwd, 'judge/ledger.jsonl');
  expect(failures).toMatchObject([{ kind: 'fail', failure: { cause: 'unscored', retryable: true } }]);
  const judged = read<{ records: Trajectory[] }>(cwd, 'judge/records.jsonl').flatMap(
    ({ records }) => records,
  );
  expect(judged).toHaveLength(11);
  for (const { quality } of judged) {
    expect(quality.verdicts.map(({ subject, judgement }) => [subject, judgement])).toEqual([
      ['answer', 'correct'],
      ['instructions', 'incorrect'],
    ]);
  }
  const calls = read<{ event: string; role?: string }>(cwd, 'events.jsonl');
  expect(calls.filter(({ role }) => role === 'judge')).toHaveLength(server.requests.length);

  isIll = false;
  const asked = server.requests.length;
  const second = await runCli(['run', '--retry', 'failed:unscored'], { cwd });
  expect(second.code, second.stderr).toBe(2);
  // Two votes of three settle each of the two questions about the one record.
  expect(server.requests.length - asked).toBe(4);
  expect(read(cwd, 'judge/records.jsonl')).toHaveLength(12);

  const before = server.requests.length;
  const again = await runCli(['run', '--from', 'judge', '--offline'], { cwd });
  expect(again.code, again.stderr).toBe(2);
  expect(server.requests).toHaveLength(before);
});

test("a judge's endpoint that turns every question away ends the run, and its words are shown", async () => {
  const server = await startJudgeServer(() => ({ status: 500 }));
  const cwd = createProject({
    tasks: jsonLines(sampleTasks.slice(0, 3)),
    more: `judge:
  text: model
  model:
    model: judge
    endpoint: { base_url: "${server.baseUrl}", api_key_env: "", max_retries: 0 }
`,
  });
  const refused = await runCli(['run'], { cwd });
  expect(refused.code, refused.stderr).toBe(1);
  expect(refused.stderr).toMatch(
    /all 3 tasks failed at the judge's endpoint; first error: .*500.*doctor \S*\.yaml may help/,
  );
  expect(existsSync(join(cwd, 'runs/coa/judge'))).toBe(false);
  expect(existsSync(join(cwd, 'runs/coa/rollout/stage.json'))).toBe(true);
});
