import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { evaluationFileSchema } from '../../evaluation/records/evaluationFile.ts';
import { writeResults } from '../../examples/closed-loop/results.ts';
import { closedLoopFiles } from '../../examples/closed-loop/world.ts';
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
  const world = closedLoopFiles('small', { people: 60, trainingTasks: rows, heldOutTasks: 3, hops: 1 });
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
    ['train', 'taught', '--set', `python=${trainerPython('llamafactory')}`].concat(
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

  const model = 'runs/taught/train/sft/output';
  const script = path.join(import.meta.dirname, '../../examples/closed-loop/token_losses.py');
  const said = python([script, model, 'runs/taught/dataset/tokenized', '4']);
  // Every row calls once.
  expect(JSON.parse(said)).toMatchObject({ calls: 4 });
  mkdirSync(path.join(folder, 'done'));
  writeFileSync(path.join(folder, 'losses.json'), said);
  const evaluation = 'runs/student-plays/evaluation.json';
  writeResults(folder, [
    { arm: 'taught', model, losses: 'losses.json', evaluation, difference: 'none.json' },
  ]);
  expect(readFileSync(path.join(folder, 'results.md'), 'utf8')).toMatch(
    /^\| taught \| [\d.]+ \| [\d.]+ \| \d of 4 \| [\d.]+% /m,
  );
  expect(readFileSync(path.join(folder, 'scores.svg'), 'utf8')).toContain('>taught</text>');
});

function python(args: readonly string[]): string {
  return execFileSync(trainerPython('trainers'), args, { cwd: folder, encoding: 'utf8' });
}

test('transformers prepares the stop texts of a server once', async () => {
  await writeTinyLlama(project.model);
  const twice = `import sys
sys.path.insert(0, sys.argv[1])
import serve_model
from transformers import AutoTokenizer
from transformers.generation import stopping_criteria
tokenizer = AutoTokenizer.from_pretrained("student")
for _ in range(4):
    stopping_criteria.StopStringCriteria(tokenizer, ["</answer>"])
print(len(stopping_criteria.STOP_STRING_EMBEDDING_CACHE))
`;
  expect(python(['-c', twice, path.join(import.meta.dirname, '../../evaluation/serving')])).toBe('1\n');
});
