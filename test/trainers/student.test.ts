import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jsonLines } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { freePorts } from '../support/freePorts.ts';
import { goesOn } from '../teachers/support/player.ts';
import { startTinyServer } from '../teachers/support/startTinyServer.ts';
import { pythonScript, runPython, sealedEnvironment } from './support/runPython.ts';
import { trainerPython } from './support/trainJob.ts';
import { writeLlamaTokenizer } from './support/writeLlamaFolder.ts';

const folder = sharedFolder();
const model = path.join(folder, 'student');
const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
const trajectoriesOf = (run: string) =>
  readFileSync(path.join(folder, 'runs', run, 'dataset/trajectories.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Two games to be taught, and a third task that the student never saw. */
const towns = ['Ost', 'Vell', 'Arn'];
const steps = (town: string) => [
  `<think>Look.</think>\n<plan>Find ${town}.</plan>\n<think>Now.</think>\n<wiki_search>${town}</wiki_search>\n`,
  `<think>Seen.</think>\n<answer>river ${town}</answer>`,
];

let server: ReturnType<typeof spawn> | undefined;
let baseUrl: string;

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
filters: { min_interactions: { mhqa: 1 } }
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
  await writeTinyModel(path.join(folder, 'tiny'));
  await makeRows();
  const rows = path.join(folder, 'runs/taught/dataset/tokenized');
  await runPython({
    environment: 'trainers',
    args: [pythonScript('teach_by_heart.py'), rows, path.join(folder, 'tiny'), model],
    folder,
  });
  baseUrl = await serve();
});

afterAll(() => server?.kill('SIGKILL'));

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
    `{ backend: coa_model, model: m, endpoint: { base_url: "${script.baseUrl}", api_key_env: "" } }`,
  );
  const run = await runCli(['run', 'taught.yaml'], { cwd: folder });
  await script.close();
  if (run.code !== 0) throw new Error(run.stderr);
}

/** A Llama of a few weights, whose tokenizer puts a beginning of text before what it encodes. */
async function writeTinyModel(target: string): Promise<void> {
  const eos = await writeLlamaTokenizer(target);
  const config = {
    architectures: ['LlamaForCausalLM'],
    model_type: 'llama',
    vocab_size: 264,
    hidden_size: 96,
    intermediate_size: 192,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 4,
    max_position_embeddings: 4096,
    tie_word_embeddings: true,
    bos_token_id: 256,
    eos_token_id: eos,
    dtype: 'float32',
  };
  writeFileSync(path.join(target, 'config.json'), JSON.stringify(config));
}

/** Starts `transformers serve`, and waits until it answers. */
async function serve(): Promise<string> {
  const [port] = await freePorts(1);
  const bin = path.dirname(trainerPython('trainers'));
  server = spawn(
    path.join(bin, 'transformers'),
    ['serve', model, '--device', 'cpu', '--host', '127.0.0.1', '--port', String(port)],
    {
      cwd: folder,
      env: { ...sealedEnvironment(bin, folder), HF_HUB_OFFLINE: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let said = '';
  server.stderr!.on('data', (text) => {
    said += text;
  });
  const health = `http://127.0.0.1:${port}/health`;
  while (
    !(await fetch(health).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (server.exitCode !== null) throw new Error(`transformers serve ended: ${said.slice(-2_000)}`);
    await delay(200);
  }
  return `http://127.0.0.1:${port}/v1`;
}

test('a model that learned two games by heart plays them again by a real server, to the byte; a third ends with a reason', async () => {
  const endpoint = `{ base_url: "${baseUrl}", api_key_env: "", max_retries: 0 }`;
  writeConfig(
    'played',
    3,
    `{ backend: coa_model, model: ${model}, concurrency: 1, endpoint: ${endpoint}, sampling: { max_tokens: 200 }, budget: { max_steps: 6 }, player: { server: transformers, max_context_tokens: 2000 } }`,
  );
  const run = await runCli(['run', 'played.yaml'], { cwd: folder });
  expect(run.code, run.stderr).toBe(0);
  const textsOf = (name: string) =>
    trajectoriesOf(name).map(({ question, segments }) => [
      question,
      segments.map(({ text }: { text: string }) => text).join(''),
    ]);
  const played = new Map(textsOf('played') as [string, string][]);
  for (const [question, text] of textsOf('taught')) expect(played.get(question)).toBe(text);
  const stage = (name: string) =>
    JSON.parse(readFileSync(path.join(folder, 'runs/played', name, 'stage.json'), 'utf8'));
  const { entered, emitted_inputs, failed } = stage('rollout');
  const failures = Object.values(failed as Record<string, number>).reduce((sum, count) => sum + count, 0);
  expect(entered).toBe(3);
  expect(emitted_inputs + failures).toBe(3);
  // The server counted every prompt as the training row has it, or the endpoint would have been refused.
  expect(Object.keys(failed)).not.toContain('endpoint_rejected');
});
