import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createProject, jsonLines, riverTasks } from '../cli/support/project.ts';
import { finished, startCli } from '../cli/support/runCli.ts';
import { cases } from '../support/cases.ts';
import { seededRandom } from '../support/seededRandom.ts';

/** Times that an evaluation is killed; COA_EVALUATION_KILLS=30 asks for thirty. */
const kills = cases(5, 'COA_EVALUATION_KILLS');

test(`an evaluation that is killed ${kills} times comes to the bytes of an undisturbed one`, async () => {
  const rows = riverTasks(30);
  const cwd = createProject({ tasks: jsonLines(rows) });
  writeFileSync(join(cwd, 'halves.jsonl'), jsonLines(rows.slice(0, 15)));
  const config = `teacher: { backend: answer_key, planted: { wrong_answer: 0.4, malformed_json: 0.1 } }
tools: { wiki_search: { corpus: passages.jsonl } }
evaluation:
  benchmarks:
    - { name: rivers, file: tasks.jsonl, profile: mhqa, samples: 3 }
    - { name: halves, file: halves.jsonl, profile: mhqa, samples: 2 }
`;
  writeFileSync(join(cwd, 'eval.yaml'), config);
  const results = ['evaluation.json', 'results.md', 'results/rivers.jsonl', 'results/halves.jsonl'];
  const read = () => results.map((file) => readFileSync(join(cwd, 'runs/eval', file), 'utf8'));
  const play = () => startCli(['evaluate', 'eval.yaml'], { cwd });

  const began = performance.now();
  const whole = await finished(play());
  expect(whole.code, whole.stderr).toBe(0);
  let wholeMs = performance.now() - began;
  const undisturbed = read();
  expect(undisturbed[0]).toContain('"samples_per_task": 3');

  const random = seededRandom(Number(process.env.COA_KILL_SEED ?? 1));
  for (let killed = 0; killed < kills; ) {
    rmSync(join(cwd, 'runs'), { recursive: true });
    const child = play();
    const ended = finished(child);
    await Promise.race([delay(random() * wholeMs), ended]);
    child.kill('SIGKILL');
    // One that had ended by then was none, and takes less time than was thought.
    if ((await ended).code === null) killed++;
    else wholeMs /= 2;
    const resumed = await finished(play());
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(read()).toEqual(undisturbed);
  }
});
