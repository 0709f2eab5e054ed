import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runCli, runWell } from '../cli/support/runCli.ts';
import { writeAnswerKey } from '../support/answerKey/answerKeyOf.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { testDataPath } from '../support/testData.ts';

const passages = fileURLToPath(new URL('../../examples/atlas/passages.jsonl', import.meta.url));

test('half of the answers malformed: run and evaluate find the same rates, and why tells of both', async () => {
  const cwd = temporaryFolder();
  copyFileSync(testDataPath('tasks/nq.jsonl'), join(cwd, 'nq.jsonl'));
  const config = readFileSync(testDataPath('review/pass-rates.yaml'), 'utf8').replaceAll(
    'PASSAGES',
    passages,
  );
  writeFileSync(join(cwd, 'run.yaml'), config);
  const benchmark = '{ name: nq20, file: nq.jsonl, profile: mhqa, preset: nq, samples: 4 }';
  writeFileSync(join(cwd, 'evaluation.yaml'), `${config}\nevaluation: { benchmarks: [${benchmark}] }\n`);
  const planted = { malformed_json: 0.5, wrong_answer: 0.2 };
  await writeAnswerKey(join(cwd, 'run.yaml'), { planted, rollouts: 4 });
  await runWell(['run', 'run.yaml'], { cwd });
  const evaluated = await runCli(['evaluate', 'evaluation.yaml', '--name', 'asked', '--json'], { cwd });
  const { rollouts } = JSON.parse(readFileSync(join(cwd, 'runs/mal/dataset/manifest.json'), 'utf8'));
  const { all } = JSON.parse(evaluated.stdout).benchmarks[0];
  const { right, wrong, unscored } = rollouts;
  expect({ right, wrong, unscored }).toEqual(all.samples);
  expect(right + wrong).toBe(80);
  for (const k of [1, 3, 4])
    for (const of of ['value', 'low', 'high'])
      expect(rollouts.pass_at[k][of]).toBeCloseTo(all.pass_at[k][of], 12);

  const [line] = readFileSync(join(cwd, 'runs/asked/results/nq20.jsonl'), 'utf8').split('\n');
  const { task_id } = JSON.parse(line!);
  const storiesOf = async (...names: string[]) => {
    const { stdout } = await runCli(['why', ...names, task_id, '--json'], { cwd });
    return JSON.parse(stdout).map(({ run }: { run: string }) => run);
  };
  expect(await storiesOf('asked')).toEqual(['nq20']);
  expect(await storiesOf()).toEqual([join('asked', 'nq20'), 'mal']);
});
