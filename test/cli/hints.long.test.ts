import { execFile } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { programCommand, runnable } from '../../cli/programCommand.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { createProject } from './support/project.ts';
import { finished, launcher, runCli, startCli } from './support/runCli.ts';
import { startSampleTeacher } from './support/startSampleTeacher.ts';

/** A folder with the program in `lib/`, and where npm would put its links. */
function installed() {
  const folder = temporaryFolder();
  const make = (name: string) => mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['lib/bin', 'bin', 'project/node_modules/.bin', 'project/tasks', 'elsewhere'])
    make(name);
  const program = join(folder, 'lib/bin/coa-distill.js');
  writeFileSync(program, '');
  writeFileSync(join(folder, 'bin/npx'), '');
  return { folder, program, env: { PATH: join(folder, 'bin') } };
}

test('where the shell finds the program, its name is enough', () => {
  const { folder, program, env } = installed();
  symlinkSync(program, join(folder, 'bin/coa-distill'));
  expect(programCommand({ program: join(folder, 'bin/coa-distill'), env, folder })).toBe('coa-distill');
});

test('a program of the same name that is another does not count', () => {
  const { folder, program, env } = installed();
  writeFileSync(join(folder, 'bin/coa-distill'), '');
  expect(programCommand({ program, env, folder })).toBe(`node ${program}`);
});

test('in a project that has it, and in a folder of this project, npx finds it', () => {
  const { folder, program, env } = installed();
  const link = join(folder, 'project/node_modules/.bin/coa-distill');
  symlinkSync(program, link);
  // npm puts the folder on the PATH of what it starts, and of nothing else.
  const npm = { PATH: `${dirname(link)}${delimiter}${env.PATH}`, npm_execpath: '/npm' };
  for (const here of ['project', 'project/tasks'])
    expect(programCommand({ program: link, env: npm, folder: join(folder, here) })).toBe('npx coa-distill');
  expect(programCommand({ program: link, env: npm, folder: join(folder, 'elsewhere') })).toBe(`node ${link}`);
  expect(programCommand({ program: link, env: { PATH: '' }, folder: join(folder, 'project') })).toBe(
    `node ${link}`,
  );
});

test('in its own checkout npx finds it; elsewhere the path that started it, as a word of a shell', () => {
  const { folder, program, env } = installed();
  writeFileSync(join(folder, 'lib/package.json'), '{}');
  expect(programCommand({ program, env, folder: join(folder, 'lib') })).toBe('npx coa-distill');
  const odd = join(folder, "it's here");
  mkdirSync(join(odd, 'bin'), { recursive: true });
  copyFileSync(program, join(odd, 'bin/coa-distill.js'));
  chmodSync(join(odd, 'bin/coa-distill.js'), 0o755);
  expect(programCommand({ program: join(odd, 'bin/coa-distill.js'), env, folder })).toBe(
    `'${join(folder, "it'\\''s here/bin/coa-distill.js")}'`,
  );
});

test('the name of the program in prose stays as it is', () => {
  expect(runnable('of coa-distill or not; coa-distill doctoring')).toBe(
    'of coa-distill or not; coa-distill doctoring',
  );
});

/** The commands of this program that a text names, each to the end of its line or to a semicolon. */
function hintsIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const at = line.indexOf(launcher);
    return at === -1 ? [] : [line.slice(at).split('; ')[0]!];
  });
}

const shell = (command: string, cwd: string) =>
  promisify(execFile)('bash', ['-c', command], {
    cwd,
    env: { PATH: process.env.PATH, NO_COLOR: '1', OPENAI_API_KEY: 'sk-test' },
  });

/** Runs a command, then in a shell every command that it tells the user to run. */
async function expectHintsToRun(args: readonly string[], cwd: string): Promise<string> {
  const { stdout, stderr } = await runCli(args, { cwd, alone: true });
  const hints = hintsIn(`${stdout}\n${stderr}`);
  expect([args, hints.length, stderr]).toEqual([args, 1, stderr]);
  for (const hint of hints) {
    // The plan of a training job says what this machine lacks, such as GPUs, and exits with 2 then.
    const ran = await shell(hint, cwd).catch((error) => error);
    if (/ train \S+ --dry-run$/.test(hint)) expect(ran.stdout, hint).toContain('nothing was written');
    else expect([hint, ran.code ?? 0, ran.stderr]).toEqual([hint, 0, ran.stderr]);
  }
  return stdout;
}

test('every command that is printed runs when it is pasted into a shell, and the report opens', async () => {
  const planted = '{ wrong_answer: 0.3 }';
  const cwd = createProject({ teacher: `{ backend: answer_key, planted: ${planted} }` });
  await expectHintsToRun(['init', 'a folder', '--profile', 'math'], cwd);
  const after = await expectHintsToRun(['run'], cwd);
  const report = /file:\S+/.exec(after)![0];
  expect(readFileSync(fileURLToPath(report), 'utf8')).toContain('<html');
  await shell(/ls .*/.exec(after)![0], cwd);
  await expectHintsToRun(['run', '--name', 'part', '--until', 'convert'], cwd);
  expect(existsSync(join(cwd, 'runs/part/dataset'))).toBe(true);
  await expectHintsToRun(['filter', 'coa', '--set', 'filters.min_interactions={mhqa: 30}'], cwd);
  await runCli(['export', 'coa', '--to', 'openai', '--out', 'rows.jsonl', '--stage', 'filter'], { cwd });
  await expectHintsToRun(['import', 'openai', 'rows.jsonl', '--name', 'im', '--profile', 'mhqa'], cwd);
});

test('the command that goes on with an interrupted run goes on with it', async () => {
  const endpoint = `{ base_url: "${(await startSampleTeacher(30)).baseUrl}", api_key_env: "" }`;
  const cwd = createProject({ teacher: `{ model: m, concurrency: 2, endpoint: ${endpoint} }` });
  const child = startCli(['run', '--name', 'cut'], { cwd });
  child.stderr!.on('data', (text) => /rollout|dedup/.test(String(text)) && child.kill('SIGINT'));
  const { stderr } = await finished(child);
  const [goOn] = hintsIn(stderr);
  expect(stderr).toContain(`Resume with: ${launcher} run coa.yaml --name cut`);
  await shell(goOn!, cwd);
  expect(existsSync(join(cwd, 'runs/cut/dataset/manifest.json'))).toBe(true);
});
