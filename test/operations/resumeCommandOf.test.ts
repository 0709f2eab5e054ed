import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { resumeCommandOf } from '../../operations/resumeCommandOf.ts';
import { runFileSchema } from '../../schemas/run/runFile.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { sampleRun } from '../training/support/sampleJob.ts';

const commandOf = (more: object, folder = '/lab/runs/t') =>
  resumeCommandOf(runFileSchema.parse({ ...sampleRun, ...more }), folder);

test('a configuration elsewhere is named so that the command finds it, also after the project has moved', () => {
  const project = temporaryFolder();
  mkdirSync(project, { recursive: true });
  const config = join(project, 'coa.yaml');
  writeFileSync(config, '');
  const command = commandOf({ config_file: '../../coa.yaml' }, join(project, 'runs/t'));
  expect(command).toBe(`coa-distill run ${config} --name t`);
});

test.each([
  ['below the working directory', '../../package.json', 'package.json'],
  ['absent', '(defaults)', 'coa.yaml'],
])('a configuration %s', (_, config_file, word) => {
  expect(commandOf({ config_file }, join(process.cwd(), 'runs/t'))).toBe(`coa-distill run ${word} --name t`);
});

test('a variant is made again of the run beside it', () => {
  const variant_of = { run: 'first', set: ['a=1'] };
  expect(commandOf({ variant_of })).toBe(
    `coa-distill refilter ${relative('', '/lab/runs/first')} --set a=1 --name t`,
  );
  const here = commandOf({ variant_of }, join(process.cwd(), 'runs/t'));
  expect(here).toBe('coa-distill refilter first --set a=1 --name t');
});
