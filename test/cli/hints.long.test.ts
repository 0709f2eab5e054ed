import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { programCommand, runnable } from '../../cli/programCommand.ts';
import { createProject } from './support/project.ts';
import { finished, launcher, runCli, startCli } from './support/runCli.ts';
import { startSampleTeacher } from './support/startSampleTeacher.ts';

test.each([
  ['/usr/bin/coa-distill', 'coa-distill'],
  ['/usr/bin/coa', 'coa-distill'],
  ['/project/node_modules/.bin/coa-distill', 'npx coa-distill'],
  ["/it's here/bin/coa-distill.js", `'/it'\\''s here/bin/coa-distill.js'`],
])('what was started as %s is started again as %s', (program, command) => {
  expect(programCommand(program)).toBe(command);
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
    const ran = await shell(hint, cwd).catch((error) => error);
    expect([hint, ran.code ?? 0, ran.stderr]).toEqual([hint, 0, ran.stderr]);
  }
  return stdout;
}

test('every command that is printed runs when it is pasted into a shell, and the report opens', async () => {
  const cwd = createProject({ planted: { wrong_answer: 0.3 } });
  await expectHintsToRun(['init', 'a folder', '--profile', 'math'], cwd);
  const after = await expectHintsToRun(['run'], cwd);
  const report = /file:\S+/.exec(after)![0];
  expect(readFileSync(fileURLToPath(report), 'utf8')).toContain('<html');
  await shell(/ls .*/.exec(after)![0], cwd);
  await expectHintsToRun(['run', '--name', 'part', '--until', 'convert'], cwd);
  expect(existsSync(join(cwd, 'runs/part/dataset'))).toBe(true);
  await expectHintsToRun(['refilter', 'coa', '--set', 'filters.min_interactions={mhqa: 30}'], cwd);
  await runCli(['export', 'coa', '--to', 'openai', '--out', 'rows.jsonl', '--stage', 'filter'], { cwd });
  await expectHintsToRun(['import', 'openai', 'rows.jsonl', '--name', 'im', '--profile', 'mhqa'], cwd);
});

test('the command that goes on with an interrupted run goes on with it', async () => {
  const endpoint = `{ base_url: "${(await startSampleTeacher(30)).baseUrl}", api_key_env: "" }`;
  const cwd = createProject({ teacher: `{ model: { model: m, endpoint: ${endpoint} }, concurrency: 2 }` });
  const child = startCli(['run', '--name', 'cut'], { cwd });
  child.stderr!.on('data', (text) => /rollout|dedup/.test(String(text)) && child.kill('SIGINT'));
  const { stderr } = await finished(child);
  const [goOn] = hintsIn(stderr);
  expect(stderr).toContain(`Resume with: ${launcher} run coa.yaml --name cut`);
  await shell(goOn!, cwd);
  expect(existsSync(join(cwd, 'runs/cut/dataset/manifest.json'))).toBe(true);
});
