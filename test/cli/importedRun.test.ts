import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeModelTokenizer } from '../output/support/modelTokenizers.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { testDataPath } from '../support/testData.ts';
import { runCli, runRefused, runWell } from './support/runCli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'coa-test-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

/** Two runs of the same rows: one whose configuration names no tasks, and its variant by another setting. */
beforeAll(async () => {
  const output = readFileSync(
    new URL('../fixtures/interchange/web.afm.txt', import.meta.url),
    'utf8',
  ).trimEnd();
  const rows = [1, 2, 3].map((n) => ({ instruction: 'Answer.', input: `Question: Of site ${n}?`, output }));
  writeFileSync(join(cwd, 'web.json'), JSON.stringify(rows));
  copyFileSync(testDataPath('field/e01_config_without_tasks.yaml'), join(cwd, 'coa.yaml'));
  await runWell(['import', 'afm', 'web.json', '--name', 'web', '--until', 'export', '--config', 'coa.yaml'], {
    cwd,
  });
  await runWell(['refilter', 'web', '--set', 'filters.min_interactions=1', '--name', 'variant'], { cwd });
});

test.for<[command: string, code: number, said: RegExp]>([
  ['train web --dry-run', 2, /FAILED +batch/],
  ['train web --config coa.yaml --dry-run', 2, /FAILED +batch/],
  ['train web --method rl --dry-run', 2, /verl_rl/],
  ['train variant --dry-run', 2, /FAILED +batch/],
  ['run coa.yaml --name web', 0, /export/],
  ['run coa.yaml --name web --dry-run', 0, /convert +done/],
  ['run coa.yaml --name web --from judge', 0, /export/],
  ['compare web variant', 0, /3 are kept in both/],
  ['view web --export', 0, /report\.html/],
  ['status web', 0, /complete/],
  ['status', 0, /variant +complete/],
  ['export web --to axolotl', 0, /axolotl/],
  ['export web --to verl_rl', 2, /was imported and has none/],
  ['export web --to atif --stage filter --out web.atif.jsonl', 0, /3 records/],
  ['check web', 0, /nothing found/],
  ['check runs/web/dataset/afm', 0, /3 rows/],
  ['push web hf:lab/rows', 2, /HF_TOKEN is not set/],
  ['serve rl web', 2, /an imported run has no tasks/],
  ['forecast coa.yaml --from-run web', 2, /coa\.yaml:1: tasks: /],
  ['evaluate coa.yaml --serve web/sft', 2, /no job that was started/],
  ['train status web', 2, /no job that was started/],
  ['cache stats web', 2, /there is no cache/],
])('an imported run without tasks: %s', async ([command, code, said]) => {
  const result = await runCli(command.split(' '), { cwd });
  const text = `${result.stdout}${result.stderr}`;
  expect(text).not.toContain('internal error');
  expect(result.code, text).toBe(code);
  expect(text).toMatch(said);
});

test('why tells the story of a record of an imported run', async () => {
  const [line = ''] = readFileSync(join(cwd, 'runs/web/convert/records.jsonl'), 'utf8').split('\n');
  const [id] = /[a-z]+_[0-9a-f]{8,}/.exec(line)!;
  const { stdout } = await runWell(['why', 'web', id], { cwd });
  expect(stdout).toMatch(/export +row 0 /);
});

test('check encodes by the tokenizer of the run’s configuration, and says who named one that changed', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'model'));
  const tokenizer = await writeModelTokenizer(join(folder, 'model'), 'chatml');
  copyFileSync(join(cwd, 'web.json'), join(folder, 'web.json'));
  writeFileSync(
    join(folder, 'coa.yaml'),
    `filters: { min_interactions: 0 }\ndataset: { tokenizer: ${tokenizer} }\n`,
  );
  const args = ['import', 'afm', 'web.json', '--name', 'web', '--until', 'export', '--config', 'coa.yaml'];
  await runWell(args, { cwd: folder });
  const clean = await runCli(['check', 'web'], { cwd: folder });
  expect(clean.code, clean.stdout + clean.stderr).toBe(0);

  appendFileSync(tokenizer, '\n');
  await runRefused(
    ['check', 'web'],
    { cwd: folder },
    /^error: run\.json of web: dataset\.tokenizer .*: its SHA-256 is /,
  );
});

test('the command that an import names next goes on with the run, with a configuration and without', async () => {
  for (const config of [[], ['--config', 'coa.yaml']]) {
    const name = `next${config.length}`;
    const imported = await runWell(['import', 'afm', 'web.json', '--name', name, ...config], { cwd });
    const [, next] = /^Next: .*?(import .*)$/m.exec(imported.stdout)!;
    await runWell(next!.split(' '), { cwd });
    expect(existsSync(join(cwd, 'runs', name, 'dataset/manifest.json'))).toBe(true);
  }
});
