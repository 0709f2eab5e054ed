/**
 * A real teacher and a student that learned from it: node examples/real-loop/realLoop.ts FOLDER
 *
 * Everything is written under FOLDER. The same command resumes: what is finished is not done again.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { here as closedLoop, coa, folder, python, start, trainer } from '../closed-loop/programs.ts';
import { doStep, type Step, secondsOf } from '../closed-loop/steps.ts';
import { closedLoopFiles } from '../closed-loop/world.ts';
import { buildServer, fetchWeights, served, serving, toGguf } from './models.ts';
import { problems, scriptOf } from './problems.ts';
import { writeTable } from './table.ts';

const here = import.meta.dirname;
const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** How much is taught and asked. */
const size = {
  lookups: Number(process.env.COA_LOOKUPS ?? 200),
  problems: Number(process.env.COA_PROBLEMS ?? 80),
  heldOutLookups: 140,
  heldOutProblems: 60,
};
const seeds = (process.env.COA_SEEDS ?? '1 2 3').split(' ');

/** The arms that are trained: the run whose rows they learn from. */
const rowsOf = { real: 'real', unmasked: 'real', unfiltered: 'unfiltered', scripted: 'scripted' } as const;
type Arm = keyof typeof rowsOf;
const arms = Object.keys(rowsOf) as Arm[];

function writeTasks(): void {
  const world = closedLoopFiles('real', {
    people: 4000,
    trainingTasks: size.lookups,
    heldOutTasks: size.heldOutLookups,
    hops: 2,
  });
  const numbers = problems('real', size.problems + size.heldOutProblems);
  const tasks = numbers.map(({ question, answer }, at) => ({
    id: `n${at}`,
    question,
    answer: String(answer),
  }));
  world.set('problems.jsonl', lines(tasks.slice(0, size.problems)));
  world.set('held-out-problems.jsonl', lines(tasks.slice(size.problems)));
  world.set(
    'script.jsonl',
    world.get('script.jsonl')! + lines(numbers.slice(0, size.problems).map(scriptOf)),
  );
  for (const [name, text] of world) writeFileSync(path.join(folder, name), text);
  const config = readFileSync(path.join(here, 'real-loop.yaml'), 'utf8');
  writeFileSync(path.join(folder, 'real-loop.yaml'), config);
  writeFileSync(path.join(folder, 'unfiltered.yaml'), `${config}\n${nothingFiltered}`);
}

/** No rule that looks at how an answer was reached. */
const nothingFiltered = `filters:
  min_interactions: 0
  max_redundant_tool_inputs: null
  form_text: keep
  duplicate_questions: keep
`;

const set = (...pairs: string[]) => pairs.flatMap((pair) => ['--set', pair]);
const atOnce = set(`models.served.endpoint.concurrency=${serving.slots}`);

/** The teacher's trajectories with their gold answers left out, so that wrong ones are rows too. */
function withoutGold(): void {
  const file = path.join(folder, 'exported.jsonl');
  const rows = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const { coa_distill, ...row } = JSON.parse(line);
      return { ...row, coa_distill: { ...coa_distill, task: { ...coa_distill.task, answers: [] } } };
    });
  writeFileSync(path.join(folder, 'unfiltered.jsonl'), lines(rows));
}

const data: Step[] = [
  { name: 'server', seconds: 700, run: buildServer },
  { name: 'student weights', seconds: 60, run: () => fetchWeights('student') },
  {
    name: 'student',
    seconds: 60,
    run: async () => {
      const install = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', 'packages'];
      if (!existsSync(path.join(folder, 'packages/gguf'))) await start([python, ...install, 'gguf==0.19.0']);
      await start([python, path.join(closedLoop, 'convert_gguf.py'), 'models/student.gguf', 'student']);
    },
  },
  { name: 'teacher weights', seconds: 60, run: () => fetchWeights('teacher') },
  {
    name: 'teach',
    seconds: 4 * 3600,
    run: () =>
      served('models/teacher.gguf', 8091, (url) =>
        coa(['run', 'real-loop.yaml', '--base-url', url, ...atOnce], { expected: [0, 1] }),
      ),
  },
  {
    name: 'unfiltered',
    seconds: 20,
    run: async () => {
      await coa(['export', 'real', '--to', 'openai', '--stage', 'convert', '--out', 'exported.jsonl']);
      withoutGold();
      const import_ = ['import', 'openai', 'unfiltered.jsonl', '--config', 'unfiltered.yaml'];
      await coa([...import_, '--name', 'unfiltered', '--until', 'export']);
    },
  },
  {
    name: 'scripted',
    seconds: 30,
    run: () =>
      coa(
        ['run', 'real-loop.yaml', '--name', 'scripted'].concat(
          set('teacher.backend=scripted', 'teacher.script=script.jsonl', 'teacher.rollouts=1'),
        ),
      ),
  },
];

const jobOf = (seed: string) => `seed-${seed}`;
const jobFolder = (arm: Arm, seed: string) =>
  `runs/${rowsOf[arm]}/train/${arm === 'unmasked' ? `unmasked-${seed}` : jobOf(seed)}`;

async function train(arm: Arm, seed: string): Promise<void> {
  const job = jobFolder(arm, seed);
  const of = `${arm} ${seed}`;
  const args = [
    'train',
    rowsOf[arm],
    '--job',
    path.basename(job),
    ...set(`python=${trainer}`),
    ...set(`seed=${seed}`),
  ];
  if (process.env.COA_GPUS)
    args.push(...set(`gpus_per_node=${process.env.COA_GPUS}`), ...set('deepspeed=null'));
  if (arm !== 'unmasked' && existsSync(path.join(folder, job, 'job.json')))
    return coa(['train', 'resume', `${rowsOf[arm]}/${jobOf(seed)}`], { of });
  if (arm !== 'unmasked') return coa(args, { of });
  await coa([...args, '--render-only'], { of });
  const rows = 'runs/real/unmasked-rows';
  if (!existsSync(path.join(folder, rows, 'state.json')))
    await start([trainer, path.join(closedLoop, 'unmask_rows.py'), 'runs/real/dataset/tokenized', rows], {
      of,
    });
  const file = path.join(folder, job, 'train.yaml');
  const settings = readFileSync(file, 'utf8');
  writeFileSync(file, settings.replace('../../dataset/tokenized', '../../unmasked-rows'));
  await start(['bash', path.join(folder, job, 'run.sh')], { of });
}

const evaluation = (arm: string, seed: string) => `eval-${arm}-${seed}`;

async function evaluate(arm: string, seed: string, file: string, port: number): Promise<void> {
  await served(file, port, (url) =>
    coa(
      [
        'evaluate',
        'real-loop.yaml',
        '--name',
        evaluation(arm, seed),
        ...set(`teacher.model.endpoint.base_url=${url}`),
      ].concat(
        ['--model', `${arm}-${seed}`],
        set('teacher.backend=coa_model', 'models.served.sampling.temperature=0', 'teacher.rollouts=1'),
        atOnce,
      ),
      { of: `${arm} ${seed}`, expected: [0, 1] },
    ),
  );
}

const stepsOf = (arm: Arm, seed: string, port: number): Step[] => {
  const gguf = `${jobFolder(arm, seed)}/student.gguf`;
  return [
    { name: `train ${arm} ${seed}`, seconds: 1800, run: () => train(arm, seed) },
    {
      name: `convert ${arm} ${seed}`,
      seconds: 30,
      run: () => toGguf(`${jobFolder(arm, seed)}/output`, gguf, `${arm} ${seed}`),
    },
    { name: `evaluate ${arm} ${seed}`, seconds: 1500, run: () => evaluate(arm, seed, gguf, port) },
  ];
};

const comparisons = seeds.flatMap((seed) =>
  arms
    .filter((arm) => arm !== 'real')
    .map((arm): Step => {
      const pair = [evaluation('real', seed), evaluation(arm, seed)];
      const to = `compare-${arm}-${seed}.json`;
      return {
        name: `compare ${arm} ${seed}`,
        seconds: 2,
        run: () => coa(['compare', ...pair, '--json'], { to }),
      };
    }),
);

const untrained = (port: number): Step => ({
  name: 'evaluate untrained',
  seconds: 1500,
  run: () => evaluate('untrained', '0', 'models/student.gguf', port),
});

/** What a lane does one after another, served at its port. After the first seed every arm has a figure. */
const chains = [
  (port: number) => [untrained(port)],
  ...seeds.flatMap((seed) => arms.map((arm) => (port: number) => stepsOf(arm, seed, port))),
];
const all = chains.flatMap((chain) => chain(0));

/** Takes chains of steps until none is left. */
async function playLane(waiting: (typeof chains)[number][], port: number): Promise<void> {
  for (let chain = waiting.shift(); chain; chain = waiting.shift())
    for (const step of chain(port)) {
      await doStep(step, secondsOf(all));
      writeTable(folder, arms, seeds);
    }
}

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeTasks();
  for (const step of data) await doStep(step, secondsOf([...data, ...all]));
  const waiting = [...chains];
  const lanes = Array.from({ length: Number(process.env.COA_LANES ?? 1) }, (_, at) =>
    playLane(waiting, 8100 + at),
  );
  const failed = (await Promise.allSettled(lanes)).find((lane) => lane.status === 'rejected');
  if (failed) throw failed.reason;
  for (const step of comparisons) await doStep(step, 2);
  console.log(readFileSync(writeTable(folder, arms, seeds), 'utf8'));
}

await main();
