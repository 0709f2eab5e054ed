import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkFiles } from '../../operations/checkFiles.ts';
import { loadRunConfig } from '../../pipeline/import/importedRun.ts';
import { readRunFile } from '../../pipeline/run/runFile.ts';
import { jsonLines } from '../cli/support/project.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { runImport, runLoaded } from './runInProcess.ts';

const call = (command: string) => ({
  role: 'assistant',
  reasoning_content: 'I look.',
  content: null,
  tool_calls: [
    { id: command, type: 'function', function: { name: 'bash', arguments: JSON.stringify({ command }) } },
  ],
});

/** A run of a coding agent. */
function shellRow(question: string, ...commands: readonly string[]) {
  const turns = commands.flatMap((command) => [
    call(command),
    { role: 'tool', tool_call_id: command, content: `${command} is done` },
  ]);
  const messages = [{ role: 'user', content: question }, ...turns, { role: 'assistant', content: 'done' }];
  return { messages, answer: 'done' };
}

const rows = [shellRow('One?', 'ls'), shellRow('Two?', 'ls', 'pwd')];
const request = { format: 'openai', files: ['rows.jsonl'], name: 'shell' } as const;

/** A folder with the rows and a configuration. */
function projectOf(config = '', content: readonly object[] = rows): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'rows.jsonl'), jsonLines(content));
  writeFileSync(join(folder, 'coa.yaml'), `runs_dir: ${join(folder, 'runs')}\n${config}\n`);
  return folder;
}

const profileFile = (folder: string) => readFileSync(join(folder, 'runs/shell/profile.yaml'), 'utf8');

test('rows whose calls name their tools need no profile: one is built, kept and known to the later stages', async () => {
  const folder = projectOf();
  const imported = await runImport(folder, { ...request, configFile: 'coa.yaml' });
  expect(imported.funnel).toMatchObject([{ entered: 2, emitted: 2 }]);
  const { config, imported: from } = (await readRunFile(imported.folder))!;
  expect(from?.built?.tools).toEqual({ bash: 'bash' });
  expect(config.profiles).toEqual([from!.built!.declaration]);
  expect(profileFile(folder)).toContain('name: auto');

  // Neither the rows nor the profile are needed in the configuration from now on.
  rmSync(join(folder, 'rows.jsonl'));
  const loaded = await loadRunConfig(join(folder, 'coa.yaml'), {}, 'shell');
  const { funnel } = await runLoaded(folder, loaded, 'shell', { from: 'convert', until: 'export' });
  expect(funnel.map(({ emitted }) => emitted)).toEqual([2, 2, 2, 2, 2]);
  const { errors, parts } = await checkFiles([join(imported.folder, 'dataset')]);
  expect(errors).toBe(0);
  for (const { profiles, rows } of parts) expect(profiles).toEqual({ auto: rows });
});

test('an import that is asked for again goes on with the same profile, also where a person has edited the file', async () => {
  const folder = projectOf();
  await runImport(folder, request);
  const edited = `# mine\n${profileFile(folder)}`;
  writeFileSync(join(folder, 'runs/shell/profile.yaml'), edited);
  expect(await runImport(folder, request)).toMatchObject({ wasComplete: true });
  expect(profileFile(folder)).toBe(edited);
});

test('the file of a profile, edited and named, is a configuration to import with', async () => {
  const folder = projectOf();
  await runImport(folder, request);
  const edited = profileFile(folder).replace('name: auto', 'name: shell').replaceAll('bash', 'shell_command');
  writeFileSync(join(folder, 'mine.yaml'), edited);
  const { folder: run, funnel } = await runImport(
    folder,
    { ...request, name: 'mine', configFile: 'mine.yaml', profile: 'shell', map: ['bash=shell_command'] },
    { until: 'convert' },
  );
  expect(funnel.map(({ emitted }) => emitted)).toEqual([2, 2]);
  expect((await readRunFile(run))?.imported?.built).toBeUndefined();
});

test('filters of the configuration hold, also by the name of the profile', async () => {
  const folder = projectOf('filters: { min_interactions: { auto: 2 } }');
  const asked = { ...request, configFile: 'coa.yaml', profile: 'auto' };
  const { funnel } = await runImport(folder, asked, { until: 'filter' });
  expect(funnel.at(-1)).toMatchObject({ emitted: 1, dropped: { too_few_interactions: 1 } });
});

test.each([
  ['no row calls a tool', '', [shellRow('One?'), shellRow('Two?')]],
  ['the configuration declares profiles', `profiles: [{ name: mine, extends: mhqa, title: Mine }]`, rows],
])('nothing says which profile is meant where %s', async (_, config, content) => {
  const folder = projectOf(config, content);
  const importing = runImport(folder, { ...request, configFile: 'coa.yaml' });
  await expect(importing).rejects.toThrow(/2 no_profile, .* say --profile NAME, or --profile auto/);
  const asked = await runImport(folder, { ...request, configFile: 'coa.yaml', profile: 'auto' });
  expect(asked.funnel).toMatchObject([{ emitted: 2 }]);
});
