import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { quoteShellWord } from '../../base/shellWord.ts';
import { parseYaml } from '../../pipeline/config/configDocument.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { exampleRuns } from './support/exampleRuns.ts';
import { finished, launcher, runCli, runRefused, runWell, startCli } from './support/runCli.ts';

const task = '{"id": "1", "question": "What is 6 times 7?", "answer": "42"}\n';

const configIn = (folder: string) =>
  parseYaml(readFileSync(join(folder, 'coa.yaml'), 'utf8')) as {
    tasks: { sources: { file: string; profile: string }[] };
    models: { teacher: { model: string; endpoint: { base_url: string } } };
  };

test('init takes endpoint, model and tasks from the command line, and lists its files as JSON', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'my: tasks.jsonl'), task);
  const args = ['--base-url', 'http://localhost:8000/v1', '--model', 'a: b', '--tasks', 'my: tasks.jsonl'];
  const made = await runWell(['init', 'new', '--profile', 'math', '--json', ...args], { cwd });
  const folder = join(cwd, 'new');
  expect(JSON.parse(made.stdout)).toEqual({ folder, files: expect.arrayContaining(readdirSync(folder)) });
  expect(readdirSync(folder)).not.toContain('tasks.jsonl');
  expect(configIn(folder)).toMatchObject({
    tasks: { sources: [{ file: '../my: tasks.jsonl', profile: 'math' }] },
    models: { teacher: { model: 'a: b', endpoint: { base_url: 'http://localhost:8000/v1' } } },
  });
  const plan = await runCli(['run', 'new/coa.yaml', '--dry-run', '--json'], { cwd });
  expect(JSON.parse(plan.stdout)).toMatchObject({ tasks: [{ tasks: 1 }] });
});

test('init asks nobody where there is no terminal', async () => {
  const cwd = temporaryFolder();
  await runRefused(['init'], { cwd, alone: true }, '--profile: expected one of web');
  expect(readdirSync(cwd)).toEqual([]);
});

/** Starts `init` on a terminal, types each key once its question is there, and waits for its end. */
async function answer(cwd: string, questions: readonly (readonly [question: string, keys: string])[]) {
  const command = [process.execPath, launcher, 'init'].map(quoteShellWord).join(' ');
  const onTerminal = `exec script -qec ${quoteShellWord(`stty cols 100 rows 40; ${command}`)} /dev/null`;
  const child = startCli([], { cwd, through: ['sh', '-c', onTerminal], env: { TERM: 'xterm' } });
  let shown = '';
  child.stdout!.on('data', (text) => {
    shown += String(text);
  });
  const ended = finished(child);
  for (const [question, keys] of questions) {
    await vi.waitFor(() => expect(shown).toContain(question), { timeout: 60_000, interval: 20 });
    child.stdin!.write(keys);
  }
  return ended;
}

const down = '\u001b[B';

test('init asks for profile, endpoint, model and tasks on a terminal', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'mine.jsonl'), task);
  const { code, stdout } = await answer(cwd, [
    ['What do the agents do?', `${down}${down}${down}\r`],
    ['The endpoint of the teacher?', 'http://localhost:9/v1\r'],
    ['Its model?', '\r'],
    ['A file with your tasks?', 'mine.jsonl\r'],
  ]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('Next: ')]);
  expect(configIn(cwd)).toMatchObject({
    tasks: { sources: [{ file: 'mine.jsonl', profile: 'math' }] },
    models: { teacher: { model: 'gpt-4.1-mini', endpoint: { base_url: 'http://localhost:9/v1' } } },
  });
});

test('own tasks never meet the passages of the sample: their corpus is asked for, or a dry run refuses', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'mine.jsonl'), task);
  const made = await runCli(['init', 'told', '--profile', 'mhqa', '--tasks', 'mine.jsonl'], { cwd });
  expect([made.code, readdirSync(join(cwd, 'told'))]).toEqual([
    0,
    expect.not.arrayContaining(['passages.jsonl']),
  ]);
  const plan = await runCli(['run', 'told/coa.yaml', '--dry-run'], { cwd });
  expect([plan.code, plan.stderr]).toEqual([
    2,
    expect.stringContaining('tools.wiki_search.corpus: no such file'),
  ]);
  const { code } = await answer(cwd, [
    ['What do the agents do?', `${down}\r`],
    ['The endpoint of the teacher?', '\r'],
    ['Its model?', '\r'],
    ['A file with your tasks?', 'mine.jsonl\r'],
    ['A file with the passages', 'told.jsonl\r'],
  ]);
  expect([code, configIn(cwd)]).toMatchObject([0, { tools: { wiki_search: { corpus: 'told.jsonl' } } }]);
});

test.each([
  ['Ctrl-C', 'What do the agents do?', '\u0003'],
  ['Ctrl-D', 'What do the agents do?', '\u0004'],
  ['Ctrl-D', 'The endpoint of the teacher?', '\u0004'],
])('%s at "%s" writes nothing, and says so', async (_key, question, typed) => {
  const cwd = temporaryFolder();
  const first = 'What do the agents do?';
  const { code, stdout } = await answer(cwd, [
    ...(question === first ? [] : ([[first, '\r']] as const)),
    [question, typed],
  ]);
  expect([code, readdirSync(cwd)]).toEqual([130, []]);
  expect(stdout).toContain('nothing written');
});

test.each(['mhqa', 'code'])('the example %s runs as it stands, wherever its folder is', exampleRuns);

test('init looks at the columns of a task file', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'odd.csv'), 'Prompt Text,Gold: Label,nr\nWhat is 6 times 7?,42,1\n');
  const made = await runCli(['init', '--profile', 'math', '--tasks', 'odd.csv'], { cwd });
  expect([made.code, made.stderr]).toEqual([0, expect.stringContaining('looks right')]);
  expect(configIn(cwd).tasks.sources).toEqual([
    { file: 'odd.csv', profile: 'math', columns: { question: 'Prompt Text', answers: 'Gold: Label' } },
  ]);
  const plan = await runCli(['run', '--dry-run', '--json'], { cwd });
  expect(JSON.parse(plan.stdout)).toMatchObject({ bad_tasks: 0, tasks: [{ tasks: 1 }] });
});
