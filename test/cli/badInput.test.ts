// Needs bubblewrap, python3.
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sealedFile } from '../../base/journal/sealed.ts';
import { rejects, says, startTinyServer } from '../teachers/support/startTinyServer.ts';
import { createProject, jsonLines, scriptedTeacher } from './support/project.ts';
import { type CliResult, runCli, runWell } from './support/runCli.ts';

describe('the command line says in one line what is wrong, and writes nothing', () => {
  test('an endpoint that refuses, which is no mistake of the user', async () => {
    const port = await closedPort();
    const endpoint = `{ base_url: "http://127.0.0.1:${port}/v1", api_key_env: "" }`;
    const cwd = createProject({ teacher: `{ model: { model: m, endpoint: ${endpoint} } }` });
    const before = readdirSync(cwd);
    const words = [new RegExp(`127\\.0\\.0\\.1:${port}/v1 can't be reached \\(ECONNREFUSED\\)`)];
    expectOneLine(await runCli(['run'], { cwd }), 1, words);
    expect(readdirSync(cwd)).toEqual(before);
  });

  test('a folder that is no run', async () => {
    const cwd = createProject({ more: 'runs_dir: .' });
    mkdirSync(join(cwd, 'mine/tasks'), { recursive: true });
    writeFileSync(join(cwd, 'mine/tasks/notes.txt'), 'keep me');
    const words = [/mine exists and is not a run/, /--name/];
    expectOneLine(await runCli(['run', '--name', 'mine'], { cwd }), 2, words);
    expect(readdirSync(join(cwd, 'mine'))).toEqual(['tasks']);
    expect(readFileSync(join(cwd, 'mine/tasks/notes.txt'), 'utf8')).toBe('keep me');
  });

  test('a file system that is read-only', async () => {
    const cwd = createProject();
    const through = ['bwrap', '--dev-bind', '/', '/', '--ro-bind', cwd, cwd, '--chdir', cwd];
    expectOneLine(await runCli(['run'], { cwd, through }), 2, [/cannot write .*runs.*read-only/]);
    const init = ['init', 'new', '--profile', 'math'];
    expectOneLine(await runCli(init, { cwd, through }), 2, [/cannot write .*new.*read-only/]);
  });

  test('a request log that can not be written', async () => {
    const args = ['serve', 'teacher', '--script', 'script.jsonl'];
    const result = await runCli([...args, '--request-log', 'no/folder/log'], { cwd: createProject() });
    expectOneLine(result, 2, [/--request-log|request log/, /ENOENT/]);
  });
});

test('tasks that the endpoint turns away one and all are pending, and its words are shown', async () => {
  const refusing = await startTinyServer(() => rejects(401, 'Incorrect API key provided: k-not-shown'));
  onTestFinished(() => refusing.close());
  const cwd = createProject({ teacher: '{ model: { model: m } }' });
  const args = ['run', '--base-url', refusing.baseUrl];
  const result = await runCli(args, { cwd, env: { OPENAI_API_KEY: 'k-not-shown' } });
  expectOneLine(result, 1, [/all 12 tasks failed/, /401 Incorrect API key provided: \[key\]/]);
  expect(existsSync(join(cwd, 'runs/coa/rollout'))).toBe(false);
  expect((await runCli(['status', 'coa'], { cwd })).stdout).toMatch(/^coa: done up to dedup/);
});

test('an endpoint that turns the first twenty tasks away is asked no more, and --retry asks again', async () => {
  let isOpen = false;
  let asked = 0;
  const server = await startTinyServer(() => {
    asked += 1;
    return isOpen
      ? says('{"think": "It is known.", "next": {"action": "answer", "answer": "Ada"}}')
      : rejects(401, 'Incorrect API key');
  });
  onTestFinished(() => server.close());
  const tasks = jsonLines(
    Array.from({ length: 60 }, (_, n) => ({ question: `Who is n${n}?`, answer: 'Ada' })),
  );
  const cwd = createProject({
    tasks,
    teacher: '{ model: { model: m } }',
    more: 'filters: { min_interactions: 0 }',
  });
  const args = ['run', '--base-url', server.baseUrl, '--until', 'rollout'];
  const result = await runCli(args, { cwd, env: { OPENAI_API_KEY: 'k' } });
  expectOneLine(result, 1, [/first 20 inputs of rollout all failed/, /--retry failed/]);
  expect(asked).toBeLessThan(45);
  isOpen = true;
  const again = await runCli([...args, '--retry', 'failed', '--json'], { cwd, env: { OPENAI_API_KEY: 'k' } });
  // The stand-in's words are no plan; what counts is that each task was asked.
  expect(JSON.parse(again.stdout).funnel[2]).toMatchObject({ entered: 60, failed: { malformed_answer: 60 } });
});

test('a setting that makes paid traces stale is refused until --yes, and nothing is touched', async () => {
  const cwd = createProject({
    teacher: '{ model: { model: m, endpoint: { base_url: "http://127.0.0.1:9/v1", api_key_env: "" } } }',
  });
  const runFolder = join(cwd, 'runs/coa');
  await runWell(['run', '--until', 'dedup'], { cwd });
  const runFile = readFileSync(join(runFolder, 'run.json'), 'utf8');
  const { checksum, ...dedup } = JSON.parse(readFileSync(join(runFolder, 'dedup/stage.json'), 'utf8'));
  mkdirSync(join(runFolder, 'rollout'));
  const rollout = {
    ...dedup,
    stage: 'rollout',
    config_hash: 'config_before',
    settings: { teacher: { model: { model: 'n' } } },
  };
  writeFileSync(join(runFolder, 'rollout/stage.json'), sealedFile(rollout));
  const words = [/other settings \(.*teacher\.model/, /--yes/, /--dry-run/, /--name/];
  expectOneLine(await runCli(['run'], { cwd }), 2, words);
  expect(readFileSync(join(runFolder, 'run.json'), 'utf8')).toBe(runFile);
  // With --yes it gets as far as the endpoint, which is not there.
  expectOneLine(await runCli(['run', '--yes'], { cwd }), 1, [/127\.0\.0\.1:9/]);
});

// Where the disk fills up decides who meets it: a stage's file, the passage index, a log, the traces.
test.each([16, 64, 448, 640])(
  'a disk of %i KB is full at once or later, and the file is named',
  async (kb) => {
    const cwd = createProject({ more: 'runs_dir: small' });
    const through = [
      'bwrap',
      '--dev-bind',
      '/',
      '/',
      '--size',
      `${kb * 1024}`,
      '--tmpfs',
      join(cwd, 'small'),
    ];
    expectOneLine(await runCli(['run'], { cwd, through }), 2, [/cannot write .*small\/.*the disk is full/]);
  },
);

test('a file limit in the middle of a run loses nothing that was done', async () => {
  const cwd = createProject({ teacher: `{ ${scriptedTeacher}, concurrency: 1 }` });
  const through = ['bash', '-c', 'ulimit -f 512; exec "$@"', 'bash'];
  const limited = await runCli(['run', '--name', 'cut'], { cwd, through });
  expectOneLine(limited, 2, [/cannot write .*cache\.sqlite.*ulimit -f/]);
  const lines = readFileSync(join(cwd, 'runs/cut/rollout/records.jsonl'), 'utf8').split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) JSON.parse(line);
  expect(existsSync(join(cwd, 'runs/cut/dataset'))).toBe(false);
  await runWell(['run', '--name', 'cut', '--until', 'filter'], { cwd });
});

/** A port that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

function expectOneLine(result: CliResult, code: number, words: readonly RegExp[]): void {
  // Progress lines may stand before it; the message itself is the last line.
  const message = result.stderr.trimEnd().split('\n').at(-1) ?? '';
  expect(message).toMatch(/^error: /);
  for (const word of words) expect(message).toMatch(word);
  expect(result.stderr).not.toMatch(/^ {4}at /m);
  expect(result.code).toBe(code);
  expect(result.stdout).toBe('');
}
