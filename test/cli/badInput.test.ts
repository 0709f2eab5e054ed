import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { rejects, startTinyServer } from '../teachers/support/startTinyServer.ts';
import { createProject, jsonLines, type ProjectOptions, sampleTasks } from './support/project.ts';
import { type CliResult, runCli } from './support/runCli.ts';

const sevenRows = sampleTasks.slice(0, 7);
const brokenLine7 = jsonLines(sevenRows).replace('{"id":"q6"', '{"id":"q6');

/** What the user got wrong, the exit code and the words that name it. */
const mistakes: readonly [title: string, project: ProjectOptions, code: number, words: readonly RegExp[]][] =
  [
    ['an empty task file', { tasks: '' }, 2, [/tasks\.jsonl/]],
    ['broken JSON in line 7', { tasks: brokenLine7 }, 2, [/tasks\.jsonl/, /\b7\b/]],
    [
      'an unknown profile',
      { profile: 'mqha' },
      2,
      [/coa\.yaml:4: tasks\.sources\.0\.profile/, /did you mean "mhqa"/],
    ],
    [
      'a misspelt key',
      { more: 'filters: { duplicat_questions: keep }' },
      2,
      [/coa\.yaml:8: filters\.duplicat_questions: unknown key; did you mean "duplicate_questions"/],
    ],
    [
      'a value of the wrong type',
      { more: 'seed: soon' },
      2,
      [/coa\.yaml:8: seed: expected a number, got "soon"/],
    ],
    ['no YAML at all', { more: 'judge: {' }, 2, [/coa\.yaml:\d+: not valid YAML/]],
    ['a missing API key', { teacher: '{ backend: openai, model: m }' }, 2, [/OPENAI_API_KEY is not set/]],
    ['a tool that is not configured', { profile: 'math' }, 2, [/profile math needs the tool code/]],
  ];

describe('the command line says in one line what is wrong, and writes nothing', () => {
  test.each(mistakes)('%s', async (_title, project, code, words) => {
    const cwd = createProject(project);
    const before = readdirSync(cwd);
    const result = await runCli(['run'], { cwd });
    expectOneLine(result, code, words);
    expect(readdirSync(cwd)).toEqual(before);
  });

  test('a file of tasks in the place of a configuration', async () => {
    expectOneLine(await runCli(['run', 'tasks.jsonl'], { cwd: createProject() }), 2, [
      /tasks\.jsonl: .*--tasks/,
    ]);
  });

  test('a configuration that is not there', async () => {
    const result = await runCli(['run', 'nope.yaml'], { cwd: createProject() });
    expectOneLine(result, 2, [/nope\.yaml: no such configuration file/]);
  });

  test('an endpoint that refuses, which is no mistake of the user', async () => {
    const port = await closedPort();
    const endpoint = `{ base_url: "http://127.0.0.1:${port}/v1", api_key_env: "" }`;
    const cwd = createProject({ teacher: `{ model: m, endpoint: ${endpoint} }` });
    const before = readdirSync(cwd);
    const words = [new RegExp(`127\\.0\\.0\\.1:${port}/v1 can't be reached \\(ECONNREFUSED\\)`)];
    expectOneLine(await runCli(['run'], { cwd }), 1, words);
    expect(readdirSync(cwd)).toEqual(before);
  });

  test('an address that holds a password, which is not repeated', async () => {
    const args = ['run', '--base-url', 'http://me:hidden@127.0.0.1:9/v1'];
    const result = await runCli(args, { cwd: createProject() });
    expectOneLine(result, 2, [/--base-url: expected an address without user name, password/]);
    expect(result.stderr).not.toContain('hidden');
  });

  test('a search service whose key is missing', async () => {
    const more =
      '  site: { folder: . }\n  crawl_page: {}\n  web_search: { base_url: "http://127.0.0.1:9" }\n';
    const cwd = createProject({ profile: 'web', more });
    const before = readdirSync(cwd);
    expectOneLine(await runCli(['run'], { cwd }), 2, [
      /SERPER_API_KEY is not set/,
      /tools\.web_search\.api_key_env/,
    ]);
    expect(readdirSync(cwd)).toEqual(before);
  });

  test('control characters of a file, which do not reach the terminal', async () => {
    const cwd = createProject({ tasks: '\u001b[2J{\n' });
    const result = await runCli(['run'], { cwd });
    expectOneLine(result, 2, [/tasks\.jsonl: expected a JSON list/]);
    expect(result.stderr).not.toContain('\u001b');
  });

  test('a stage to begin with that comes after the one to stop at', async () => {
    const cwd = createProject();
    const words = [/--from judge --until dedup: dedup comes before judge/];
    expectOneLine(await runCli(['run', '--from', 'judge', '--until', 'dedup'], { cwd }), 2, words);
    expect(readdirSync(cwd)).not.toContain('runs');
  });

  test.each([[['--until', 'select']], [['--from', 'balance']], [['--until', 'decontaminate', '--dry-run']]])(
    'a stage that the run does not have: %j',
    async (options) => {
      const cwd = createProject();
      const words = [
        /(?:select|balance|decontaminate): the run has no such stage; its stages are tasks, dedup/,
      ];
      expectOneLine(await runCli(['run', ...options], { cwd }), 2, words);
      expect(readdirSync(cwd)).not.toContain('runs');
    },
  );

  test('a folder that is no run', async () => {
    const cwd = createProject({ more: 'runs_dir: .' });
    mkdirSync(join(cwd, 'mine/tasks'), { recursive: true });
    writeFileSync(join(cwd, 'mine/tasks/notes.txt'), 'keep me');
    const words = [/mine is there and is no run/, /--name/];
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
    const args = ['serve', 'teacher', '--answer-key', 'coa.yaml'];
    const result = await runCli([...args, '--request-log', 'no/folder/log'], { cwd: createProject() });
    expectOneLine(result, 2, [/--request-log|request log/, /ENOENT/]);
  });

  test('a task file that is not there', async () => {
    const result = await runCli(['run', '--tasks', 'gone.jsonl'], { cwd: createProject() });
    expectOneLine(result, 2, [/no such file: .*gone\.jsonl/]);
  });

  test('a folder that can not be written', async () => {
    const cwd = createProject({ more: 'runs_dir: tasks.jsonl/runs' });
    const before = readdirSync(cwd);
    expectOneLine(await runCli(['run'], { cwd }), 2, [/cannot write .*tasks\.jsonl\/runs.*ENOTDIR/]);
    expect(readdirSync(cwd)).toEqual(before);
  });

  test('an unknown option and a wrong choice', async () => {
    const cwd = createProject();
    expectOneLine(await runCli(['run', '--from', 'filtre'], { cwd }), 2, [/--from.*filter/]);
    expectOneLine(await runCli(['run', '--limit', '-3'], { cwd }), 2, [/--limit/]);
  });
});

test('tasks that the endpoint turns away one and all are pending, and its words are shown', async () => {
  const refusing = await startTinyServer(() => rejects(401, 'Incorrect API key provided: k-not-shown'));
  onTestFinished(() => refusing.close());
  const cwd = createProject({ teacher: '{ model: m }' });
  const args = ['run', '--base-url', refusing.baseUrl];
  const result = await runCli(args, { cwd, env: { OPENAI_API_KEY: 'k-not-shown' } });
  expectOneLine(result, 1, [/all 12 tasks failed/, /401 Incorrect API key provided: \[key\]/]);
  expect(existsSync(join(cwd, 'runs/coa/rollout'))).toBe(false);
  expect((await runCli(['status', 'coa'], { cwd })).stdout).toMatch(/^coa: done up to dedup/);
});

test('a setting that makes paid traces stale is refused until --yes, and nothing is touched', async () => {
  const cwd = createProject({
    teacher: '{ model: m, endpoint: { base_url: "http://127.0.0.1:9/v1", api_key_env: "" } }',
  });
  const runFolder = join(cwd, 'runs/coa');
  expect((await runCli(['run', '--until', 'dedup'], { cwd })).code).toBe(0);
  const runFile = readFileSync(join(runFolder, 'run.json'), 'utf8');
  const { checksum, ...dedup } = JSON.parse(readFileSync(join(runFolder, 'dedup/stage.json'), 'utf8'));
  mkdirSync(join(runFolder, 'rollout'));
  const rollout = {
    ...dedup,
    stage: 'rollout',
    config_hash: 'config_before',
    settings: { teacher: { model: 'n' } },
  };
  writeFileSync(join(runFolder, 'rollout/stage.json'), JSON.stringify(rollout));
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
  const cwd = createProject({ teacher: '{ backend: answer_key, concurrency: 1 }' });
  const through = ['bash', '-c', 'ulimit -f 512; exec "$@"', 'bash'];
  const limited = await runCli(['run', '--name', 'cut'], { cwd, through });
  expectOneLine(limited, 2, [/cannot write .*cache\.sqlite.*ulimit -f/]);
  const lines = readFileSync(join(cwd, 'runs/cut/rollout/records.jsonl'), 'utf8').split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) JSON.parse(line);
  expect(existsSync(join(cwd, 'runs/cut/dataset'))).toBe(false);
  expect((await runCli(['run', '--name', 'cut', '--until', 'filter'], { cwd })).code).toBe(0);
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
