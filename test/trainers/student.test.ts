import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { findProcesses } from '../../base/processes/findProcesses.ts';
import { jsonLines } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { goesOn } from '../teachers/support/player.ts';
import { startTinyServer } from '../teachers/support/startTinyServer.ts';
import { pythonScript, runPython } from './support/runPython.ts';
import { trainerPython } from './support/trainJob.ts';
import { writeTinyLlama } from './support/writeLlamaFolder.ts';

const folder = sharedFolder();
const model = path.join(folder, 'student');
const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
/** Two games to be taught, and a third task that the student never saw. */
const towns = ['Ost', 'Vell', 'Arn'];
const steps = (town: string) => [
  `<think>Look.</think>\n<plan>Find ${town}.</plan>\n<think>Now.</think>\n<wiki_search>${town}</wiki_search>\n`,
  `<think>Seen.</think>\n<answer>river ${town}</answer>`,
];

/** The tasks of some towns, played by a model; prompts are short, so that a tiny model learns them soon. */
function writeConfig(name: string, count: number, teacher: string): void {
  const tasks = towns.slice(0, count).map((town) => ({ question: `${town}?`, answer: `river ${town}` }));
  write(`${name}.jsonl`, jsonLines(tasks));
  write(
    `${name}.yaml`,
    `tasks: { sources: [{ file: ${name}.jsonl, profile: mhqa }] }
profiles: [{ name: mhqa, instruction: Play. }]
teacher: ${teacher}
tools: { wiki_search: { corpus: passages.jsonl, top_k: 1 } }
filters: { grounding: { drop: false }, min_interactions: { mhqa: 1 } }
dataset: { formats: [tokenized], system_prompt: S, tokenizer: tiny/tokenizer.json, chat_template: llama3, cutoff_len: 2000 }
`,
  );
}

beforeAll(async () => {
  mkdirSync(path.join(folder, 'tiny'), { recursive: true });
  write(
    'passages.jsonl',
    jsonLines(towns.map((town, id) => ({ id: `${id}`, contents: `"${town}"\nOn river ${town}.` }))),
  );
  await writeTinyLlama(path.join(folder, 'tiny'));
  await makeRows();
  const rows = path.join(folder, 'runs/taught/dataset/tokenized');
  await runPython({
    environment: 'trainers',
    args: [pythonScript('teach_by_heart.py'), rows, path.join(folder, 'tiny'), model],
    folder,
  });
});

/** Rows by a scripted student, so that they are short. */
async function makeRows(): Promise<void> {
  const script = await startTinyServer(({ body }) => {
    const prompt = String(body.prompt);
    const town = towns.find((name) => prompt.includes(`Question: ${name}?`))!;
    return goesOn(steps(town)[prompt.split('</observation>').length - 1]!);
  });
  writeConfig(
    'taught',
    2,
    `{ backend: coa_model, model: { model: m, endpoint: { base_url: "${script.baseUrl}", api_key_env: "" } } }`,
  );
  const run = await runCli(['run', 'taught.yaml'], { cwd: folder });
  await script.close();
  if (run.code !== 0) throw new Error(run.stderr);
}

/** Plays by a checkpoint that `transformers serve` serves, started by the command itself. */
const serve = ['--serve', model];
const environment = { PYTHON: trainerPython('trainers'), COA_STUDENT_TEST: folder };

function writeEvaluation(): void {
  const tasks = towns.map((town) => ({ question: `${town}?`, answer: `river ${town}` }));
  write('all.jsonl', jsonLines(tasks));
  // The model's rows were made of these: the folder of a checkpoint does not tell.
  write(
    'eval.yaml',
    `profiles: [{ name: mhqa, instruction: Play. }]
teacher: { concurrency: 1, model: { model: scripted-teacher, endpoint: { max_retries: 0 }, sampling: { max_tokens: 200 } }, budget: { max_steps: 6 }, player: { max_context_tokens: 2000 } }
tools: { wiki_search: { corpus: passages.jsonl, top_k: 1 } }
dataset: { system_prompt: S, chat_template: llama3 }
evaluation:
  benchmarks:
    - { name: greedy, file: all.jsonl, profile: mhqa, sampling: { temperature: 0 } }
    - { name: sampled, file: all.jsonl, profile: mhqa, samples: 3, limit: 1, sampling: { temperature: 2 } }
`,
  );
}

const linesOf = (file: string) =>
  readFileSync(path.join(folder, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

interface Played {
  readonly question: string;
  readonly segments: readonly { readonly text: string }[];
}

const textsOf = (trajectories: readonly Played[]) =>
  new Map(
    trajectories.map(({ question, segments }) => [question, segments.map(({ text }) => text).join('')]),
  );

test('a model that learned two games by heart is served, plays them again to the byte, and ends the third with a reason', async () => {
  writeEvaluation();
  const played = await runCli(['evaluate', 'eval.yaml', ...serve, '--json'], {
    cwd: folder,
    env: environment,
  });
  expect(played.code, played.stderr).toBe(0);
  const [greedy, sampled] = JSON.parse(played.stdout).benchmarks;
  const texts = textsOf(linesOf('runs/eval/greedy/judge/records.jsonl').flatMap(({ records }) => records));
  for (const [question, text] of textsOf(linesOf('runs/taught/dataset/trajectories.jsonl')))
    expect(texts.get(question)).toBe(text);
  // The server counted every prompt as the training row has it, or the endpoint would have been refused.
  const { samples, reasons } = greedy.all;
  expect(samples.right).toBeGreaterThanOrEqual(2);
  expect(samples.right + samples.wrong).toBe(3);
  expect(Object.keys(reasons)).not.toContain('endpoint_rejected');
  expect(sampled.all.samples.unscored).toBe(0);
  // Sampling is on: without it all games would begin alike.
  const games = ['records', 'ledger'].flatMap((file) => linesOf(`runs/eval/sampled/rollout/${file}.jsonl`));
  const firstSteps = games.map(({ records: [trace] = [], partial }) => (trace ?? partial).events[0].content);
  expect(firstSteps).toHaveLength(3);
  expect(new Set(firstSteps).size).toBeGreaterThan(1);
  expect(findProcesses('COA_STUDENT_TEST', folder)).toEqual([]);
});
