import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTaskRates } from '../../pipeline/run/taskRates.ts';
import { createProject } from '../cli/support/project.ts';
import { runCli } from '../cli/support/runCli.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { fixturePath } from './importing.ts';

test('import prints what became of the rows, export writes them back', async () => {
  const cwd = temporaryFolder();
  copyFileSync(fixturePath('quirks.openai.jsonl'), join(cwd, 'log.jsonl'));
  const imported = await runCli(['import', 'openai', 'log.jsonl', '--name', 'oa', '--profile', 'mhqa'], {
    cwd,
  });
  expect(imported.code, imported.stderr).toBe(0);
  expect(imported.stdout).toContain('oa: 5 rows read, 1 converted, 4 refused');
  expect(imported.stdout).toMatch(/malformed_row +call_without_result +2 +log\.jsonl:2: messages\[5\]/);
  const exported = await runCli(['export', 'oa', '--to', 'openai', '--out', 'chats.jsonl'], { cwd });
  expect(exported.code, exported.stderr).toBe(0);
  expect(exported.stdout).toContain('1 records of rollout');
  const { messages } = JSON.parse(readFileSync(join(cwd, 'chats.jsonl'), 'utf8')) as {
    messages: { role: string }[];
  };
  expect(messages.map(({ role }) => role).join(' ')).toBe(
    'user assistant assistant tool assistant tool assistant',
  );
});

test('the example of the help imports rows of any prompt, and says that it filters nothing', async () => {
  const cwd = temporaryFolder();
  const rows = ['web', 'code', 'math'].map((name) => ({
    instruction: 'Another prompt.',
    input: `Question: Of ${name}?`,
    output: readFileSync(fixturePath(`${name}.afm.txt`), 'utf8').trimEnd(),
  }));
  writeFileSync(join(cwd, 'web.json'), JSON.stringify(rows));
  const args = ['import', 'afm', 'web.json', '--name', 'afm-web', '--until', 'export'];
  const { code, stdout, stderr } = await runCli(args, { cwd });
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('import: filters are off');
  expect(stdout).toMatch(/export +3/);
  expect(JSON.parse(readFileSync(join(cwd, 'runs/afm-web/dataset/afm/afm-web.json'), 'utf8'))).toEqual(rows);

  const none = await runCli(['import', 'openai', 'web.json', '--name', 'none', '--until', 'export'], { cwd });
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('none of 3 rows could be imported as openai:');
  expect(existsSync(join(cwd, 'runs/none'))).toBe(false);
});

test('a row that an import drops as a duplicate is no rollout that nobody scored', async () => {
  const cwd = createProject();
  const output = readFileSync(fixturePath('web.afm.txt'), 'utf8').trimEnd();
  const row = { instruction: 'Answer.', input: 'Question: Of the web?', output };
  writeFileSync(join(cwd, 'web.json'), JSON.stringify([row, row, row]));
  const args = ['import', 'afm', 'web.json', '--name', 'twice', '--config', 'coa.yaml', '--until', 'judge'];
  expect((await runCli([...args, '--json'], { cwd })).code).toBe(0);
  const rates = await readTaskRates(join(cwd, 'runs/twice'));
  expect(rates).toMatchObject([{ samples: 0, unscored: 1 }]);
});

test('a stage before the one that rows are records of is a mistake', async () => {
  const args = ['import', 'afm', fixturePath('quirks.openai.jsonl'), '--name', 'x', '--until', 'rollout'];
  const { code, stderr } = await runCli(args, { cwd: temporaryFolder() });
  expect([code, stderr]).toEqual([2, expect.stringContaining('--until: rows of afm are records of convert')]);
});

test('a folder of the user’s beside the export is left alone', async () => {
  const cwd = createProject();
  expect((await runCli(['run', '--until', 'rollout'], { cwd })).code).toBe(0);
  mkdirSync(join(cwd, 'chats.jsonl.partial'));
  writeFileSync(join(cwd, 'chats.jsonl.partial/notes.txt'), 'keep me');
  const written = await runCli(['export', 'coa', '--to', 'openai', '--out', 'chats.jsonl', '--json'], {
    cwd,
  });
  expect(JSON.parse(written.stdout)).toMatchObject({
    format: 'openai',
    stage: 'rollout',
    path: join(cwd, 'chats.jsonl'),
  });
  expect(readFileSync(join(cwd, 'chats.jsonl.partial/notes.txt'), 'utf8')).toBe('keep me');
});

test('an export writes the records that were kept, or those of the stage that is named', async () => {
  const cwd = createProject({ planted: { wrong_answer: 0.5 } });
  expect((await runCli(['run'], { cwd })).code).toBe(0);
  const stageFile = (stage: string) =>
    JSON.parse(readFileSync(join(cwd, `runs/coa/${stage}/stage.json`), 'utf8')) as {
      emitted_records: number;
    };
  for (const stage of ['filter', 'rollout']) {
    const args = [
      'export',
      'coa',
      '--to',
      'openai',
      '--json',
      ...(stage === 'filter' ? [] : ['--stage', stage]),
    ];
    const { stage: found, records } = JSON.parse((await runCli(args, { cwd })).stdout) as {
      stage: string;
      records: number;
    };
    expect([found, records]).toEqual([stage, stageFile(stage).emitted_records]);
  }
  expect(stageFile('filter').emitted_records).toBeLessThan(stageFile('rollout').emitted_records);
  const shareGpt = await runCli(['export', 'coa', '--to', 'sharegpt', 'alpaca'], { cwd });
  expect(shareGpt.code, shareGpt.stderr).toBe(0);
  for (const file of ['llama_factory/train.jsonl', 'afm/dataset_info.json'])
    expect(existsSync(join(cwd, 'runs/coa/dataset', file))).toBe(true);
});
