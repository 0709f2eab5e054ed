import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sealedFile } from '../../base/journal/sealed.ts';
import { findProcesses } from '../../base/processes/findProcesses.ts';
import { createProject, jsonLines, sampleTasks } from '../cli/support/project.ts';
import { finished, runCli, runRefused, runWell, startCli } from '../cli/support/runCli.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { waitUntil } from '../support/waitUntil.ts';
import { sampleRecord, sampleRun } from '../training/support/sampleJob.ts';

/** Stands in for Python with transformers: answers as `transformers serve` does, by the file `mood` beside it. */
const server = String.raw`#!${process.execPath}
const { createServer } = require('node:http');
const { readFileSync, existsSync } = require('node:fs');
const args = process.argv.slice(2);
const port = Number(args[args.indexOf('--port') + 1]);
const name = args[args.indexOf('serve') + 1];
const mood = existsSync(__dirname + '/mood') ? readFileSync(__dirname + '/mood', 'utf8') : '';
if (mood === 'missing') { console.error('ImportError: Missing dependencies for serving.'); process.exit(1); }
const { do_sample, eos_token_id } = JSON.parse(readFileSync(name + '/generation_config.json', 'utf8'));
console.log('ready', name, do_sample, eos_token_id);
createServer(async (request, response) => {
  if (request.url === '/health' || request.method !== 'POST') return response.end('{}');
  if (mood === 'hang') return;
  if (mood === 'dies') { console.error('CUDA out of memory'); process.exit(9); }
  let text = '';
  for await (const part of request) text += part;
  const { prompt, model } = JSON.parse(text);
  const n = /number (\d+)\?/.exec(prompt)[1];
  const said = prompt.includes('</observation>')
    ? '<think>Seen.</think>\n<answer>river ' + n + '</answer>'
    : '<think>Look.</think>\n<plan>Find it.</plan>\n<think>Now.</think>\n<wiki_search>town ' + n + '</wiki_search>';
  response.setHeader('content-type', 'application/json');
  if (model !== name) { response.statusCode = 400; return response.end('{"detail":"pinned"}'); }
  response.end(JSON.stringify({ model, choices: [{ index: 0, text: said, finish_reason: 'stop' }], usage: { prompt_tokens: 0, completion_tokens: 9, total_tokens: 9 } }));
}).listen(port, '127.0.0.1');
`;

const MARK = 'COA_SERVE_TEST';

/** A project whose run \`t\` has trained a checkpoint. */
function project() {
  const cwd = createProject({ tasks: jsonLines(sampleTasks.slice(0, 2)) });
  const python = join(temporaryFolder(), 'python');
  writeFileSync(python, server);
  chmodSync(python, 0o755);
  const job = join(cwd, 'runs/t/train/sft');
  const checkpoint = join(job, 'output/checkpoint-6');
  mkdirSync(checkpoint, { recursive: true });
  const tasks = { sources: [{ file: 'tasks.jsonl', profile: 'mhqa' }] };
  const config = { tasks, training: { python }, dataset: { system_prompt: 'You are trained.' } };
  writeFileSync(join(cwd, 'runs/t/run.json'), sealedFile({ ...sampleRun, config }));
  writeFileSync(join(job, 'job.json'), sealedFile(sampleRecord({ job: 'sft' })));
  const files = {
    'config.json': { eos_token_id: 5, max_position_embeddings: 4000 },
    'trainer_state.json': {},
  };
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(checkpoint, name), JSON.stringify(content));
  writeFileSync(join(checkpoint, 'model.safetensors'), 'weights');
  writeFileSync(
    join(cwd, 'eval.yaml'),
    `tools: { wiki_search: { corpus: passages.jsonl } }
evaluation: { benchmarks: [{ name: rivers, file: tasks.jsonl, profile: mhqa }] }
`,
  );
  return { cwd, checkpoint, mood: join(python, '../mood'), env: { [MARK]: cwd } };
}

const play = ['evaluate', 'eval.yaml', '--serve', 't/sft'];

async function untilGone(cwd: string): Promise<void> {
  await waitUntil('the end of all processes', () => findProcesses(MARK, cwd)!.length === 0, { everyMs: 50 });
}

test('a checkpoint is served for as long as it plays, with sampling on, as it was trained', async () => {
  const { cwd, checkpoint, env } = project();
  const played = await runWell([...play, '--json'], { cwd, env, alone: true });
  const { player, benchmarks } = JSON.parse(played.stdout);
  expect(player).toMatchObject({ backend: 'coa_model', model: expect.stringMatching(/^t-sft-[0-9a-f]{8}$/) });
  expect(benchmarks[0].all.score.value).toBe(1);
  expect(readFileSync(join(cwd, 'runs/eval/served/server.log'), 'utf8')).toContain('true 5');
  const run = JSON.parse(readFileSync(join(cwd, 'runs/eval/rivers/run.json'), 'utf8'));
  expect(run.config.dataset.system_prompt).toBe('You are trained.');
  expect(run.config.teacher.player).toMatchObject({ server: 'transformers', max_context_tokens: 4000 });
  await untilGone(cwd);

  // What is done needs no server; other weights are another player.
  const again = await runCli(play, { cwd, env });
  expect(again.stderr).not.toContain('serving');
  writeFileSync(join(checkpoint, 'model.safetensors'), 'other weights');
  const other = await runCli([...play, '--name', 'other', '--json'], { cwd, env });
  expect(JSON.parse(other.stdout).player.model).not.toBe(player.model);
});

test('a server that does not start, or ends, is named with its last words; what is pending stays so', async () => {
  const { cwd, mood, env } = project();
  writeFileSync(mood, 'missing');
  const missing = await runCli(play, { cwd, env });
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("install 'transformers[serving]'"),
  });
  expect(missing.stderr).toContain('Missing dependencies');
  writeFileSync(mood, 'dies');
  const died = await runCli(play, { cwd, env });
  expect(died).toMatchObject({ code: 1, stderr: expect.stringContaining('CUDA out of memory') });
  writeFileSync(mood, '');
  const played = await runCli([...play, '--json'], { cwd, env });
  expect(JSON.parse(played.stdout).benchmarks[0].all.samples).toEqual({ right: 2, wrong: 0, unscored: 0 });
  await untilGone(cwd);
});

test.each(['SIGKILL', 'SIGINT'] as const)('nothing is left running after %s', async (signal) => {
  const { cwd, mood, env } = project();
  writeFileSync(mood, 'hang');
  const child = startCli(play, { cwd, env });
  const ended = finished(child);
  const log = join(cwd, 'runs/eval/served/server.log');
  await waitUntil('the server', () => existsSync(log) && readFileSync(log, 'utf8') !== '', { child });
  child.kill(signal);
  // Calls in flight are waited for; the second stops.
  const again = setInterval(() => child.kill(signal), 100);
  await ended.finally(() => clearInterval(again));
  await untilGone(cwd);
});

test('an adapter is not served: the message says how it is merged', async () => {
  const { cwd, env } = project();
  const adapter = join(cwd, 'adapter');
  mkdirSync(adapter);
  writeFileSync(join(adapter, 'adapter_config.json'), '{"base_model_name_or_path":"Qwen/Qwen2.5-7B"}');
  symlinkSync(adapter, join(cwd, 'linked'));
  for (const name of ['adapter', 'linked']) {
    const refused = await runRefused([...play.slice(0, 3), name], { cwd, env }, 'of Qwen/Qwen2.5-7B');
    expect(refused.stderr).toContain('merge_adapter.py');
  }
  await runRefused([...play, '--model', 'x'], { cwd, env }, '--serve sets model and endpoint');
});
