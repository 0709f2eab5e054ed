import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { closedLoopFiles } from '../../examples/closed-loop/world.ts';
import { evaluationFileSchema } from '../../schemas/evaluation/evaluationFile.ts';
import { runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { trainerEnvironment, trainerPython } from './support/trainJob.ts';
import { writeTinyLlama } from './support/writeLlamaFolder.ts';

const folder = sharedFolder();
const project = { folder, model: path.join(folder, 'student') };
const rows = 8;

/** A command of the closed loop, as examples/closed-loop gives it, with a tiny student. */
async function coa(args: readonly string[], env: Record<string, string> = {}) {
  const result = await runCli([...args], { cwd: folder, env });
  expect(result.code, result.stderr).toBe(0);
  return result;
}

const tiny = ['dataset.chat_template=llama3', 'dataset.cutoff_len=2000'].flatMap((pair) => ['--set', pair]);

test('the closed loop in small: rows are taught, the checkpoint is served, and every held-out task has an end', async () => {
  const world = closedLoopFiles('small', { people: 60, trainingTasks: rows, heldOutTasks: 3 });
  for (const [name, text] of world) writeFileSync(path.join(folder, name), text);
  const config = path.join(import.meta.dirname, '../../examples/closed-loop/closed-loop.yaml');
  copyFileSync(config, path.join(folder, 'closed-loop.yaml'));
  mkdirSync(project.model);
  await writeTinyLlama(project.model);

  await coa(['run', 'closed-loop.yaml', ...tiny]);
  const taught = readFileSync(path.join(folder, 'runs/taught/dataset/trajectories.jsonl'), 'utf8');
  expect(taught.trim().split('\n')).toHaveLength(rows);
  // Nobody who is asked about later is in a row.
  for (const line of world.get('held-out.jsonl')!.trim().split('\n')) {
    const name = /[A-Z]\S+ [A-Z][\p{L}]+(?= born)|(?<=of )[^?]+/u.exec(JSON.parse(line).question)![0];
    expect(taught).not.toContain(name);
  }

  const settings = ['train_from_scratch=true', 'max_steps=8', 'save_steps=8', 'learning_rate=1e-2'];
  await coa(
    ['train', 'taught', '--python', trainerPython('llamafactory')].concat(
      settings.flatMap((pair) => ['--set', pair]),
    ),
    trainerEnvironment(project, 'llamafactory'),
  );
  const losses = readFileSync(path.join(folder, 'runs/taught/train/sft/output/trainer_log.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => JSON.parse(line).loss ?? []);
  expect(losses).toHaveLength(8);
  expect(losses.at(-1)).toBeLessThan(losses[0] * 0.9);

  await coa(['evaluate', 'closed-loop.yaml', '--serve', 'taught/sft', '--name', 'student-plays', ...tiny], {
    PYTHON: trainerPython('trainers'),
  });
  const file = readFileSync(path.join(folder, 'runs/student-plays/evaluation.json'), 'utf8');
  const [benchmark] = evaluationFileSchema.parse(JSON.parse(file)).benchmarks;
  const { tasks, samples } = benchmark!.all;
  expect(tasks).toBe(3);
  expect(samples).toMatchObject({ unscored: 0 });
  expect(samples.right + samples.wrong).toBe(3);
});
