import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { writeModelFolder } from '../trainers/support/writeModelFolder.ts';
import { createProject } from './support/project.ts';
import { runCli, runWell } from './support/runCli.ts';

const cwd = sharedFolder();

beforeAll(async () => {
  createProject({ folder: cwd, more: 'training: { epochs: 3, learning_rate: 2.0e-5 }\n' });
  await runWell(['run'], { cwd });
});

const train = (...args: string[]) => runCli(['train', 'coa', ...args], { cwd });

test('a dry run prints the whole plan and what each gate says, and touches nothing', async () => {
  const gpu = ['--dry-run', '--set', 'gpus_per_node=1'];
  const small = ['--set', 'gradient_accumulation_steps=1', '--set', 'python=/nowhere/python'];
  const shown = await train(...gpu, ...small);
  expect(shown.code, shown.stdout).toBe(0);
  for (const part of ['steps', 'GPU memory', 'about', 'learning_rate', 'train.yaml', 'nothing was written']) {
    expect(shown.stdout).toContain(part);
  }
  expect(shown.stdout).toMatch(/^ {2}passed +masks$/m);
  expect(shown.stdout).toMatch(/^ {2}not checked +ids +the model: \S+ is a name/m);
  expect(shown.stdout).toMatch(
    /^ {2}missing here +trainer +training\.python \/nowhere\/python: the program does not exist/m,
  );
  const failing = await train(
    '--dry-run',
    '--set',
    'gpus_per_node=4',
    '--set',
    'gradient_accumulation_steps=9999',
  );
  expect(failing.code).toBe(2);
  expect(failing.stdout).toMatch(/^1 of 7 checks failed/m);
  expect(existsSync(join(cwd, 'runs/coa/train'))).toBe(false);

  const { plan } = JSON.parse((await train('--dry-run', '--json', '--set', 'gpus_per_node=4')).stdout);
  expect(plan).toMatchObject({ epochs: 3, gpus_per_node: 4, hyper_parameters: { learning_rate: 2e-5 } });
});

test('flags win over a preset, and a preset over the configuration', async () => {
  const args = ['--dry-run', '--json', '--set', 'gpus_per_node=8', '--preset', 'afm-code-7b'];
  const { plan } = JSON.parse(
    (await train(...args, '--set', 'epochs=5', '--set', 'weight_decay=0.1')).stdout,
  );
  expect(plan.hyper_parameters).toMatchObject({
    learning_rate: 3e-5,
    gradient_accumulation_steps: 4,
    num_train_epochs: 5,
    weight_decay: 0.1,
  });
});

test('the training section of another file is taken when it is named', async () => {
  const file = join(cwd, 'cluster.yaml');
  const config = readFileSync(join(cwd, 'coa.yaml'), 'utf8').replace(
    /^training:.*$/m,
    'training: { launcher: slurm, slurm: { partition: big }, nodes: 2 }',
  );
  writeFileSync(file, config);
  const shown = await train(
    '--config',
    file,
    '--job',
    'slurm',
    '--render-only',
    '--set',
    'slurm.time=2:00:00',
  );
  expect(shown.code).toBe(0);
  const script = readFileSync(join(cwd, 'runs/coa/train/slurm/job.sbatch'), 'utf8');
  expect(script).toContain('#SBATCH --partition=big\n#SBATCH --time=2:00:00\n');
});

test('a model’s folder is named absolutely, and its weights are counted', async () => {
  await writeModelFolder(join(cwd, 'tiny model'));
  const args = [
    '--model',
    'tiny model',
    '--set',
    'gpus_per_node=0',
    '--job',
    'tiny',
    '--render-only',
    '--json',
  ];
  const { plan, folder, start } = JSON.parse((await train(...args)).stdout);
  expect(plan.model_billion_parameters).toBeCloseTo(0.0098, 4);
  expect(start).toEqual(['bash', 'run.sh']);
  const config = parse(readFileSync(join(folder, 'train.yaml'), 'utf8'), { version: '1.1' });
  expect(config.model_name_or_path).toBe(join(cwd, 'tiny model'));
  expect(config.use_cpu).toBe(true);
});

test.each([
  [['--launcher', 'moon'], /known: local/],
  [['--set', 'nodes=0'], /training\.nodes: expected/],
  [['--job', '../x'], /--job: expected letters/],
  [['--set', 'epochs'], /--set: expected KEY=VALUE/],
  [['--set', 'epochs=many'], /training\.epochs: expected a number, got "many"/],
  [['--set', 'template=qwen'], /training\.set\.template: refused/],
  [['--set', 'wandb_api_key=sk-1234'], /training\.set\.wandb_api_key: expected no keys and tokens/],
  [['--set', 'slurm.partition=a b'], /training\.slurm\.partition: expected no spaces/],
  [['--set', 'a=[1'], /expected a value as YAML writes it/],
  [['--model', `\${oc.env:HOME}`], /training\.model: expected text without/],
  [['--dry-run', '--render-only'], /--dry-run and --render-only exclude/],
])('%j is the user’s mistake', async (args, message) => {
  const shown = await train('--set', 'gpus_per_node=8', ...args);
  expect(shown.stderr).toMatch(message);
  expect(shown.stderr.trim().split('\n')).toHaveLength(1);
  expect(shown.stderr).not.toContain('sk-1234');
  expect(shown.code).toBe(2);
});
