import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fingerprintConfig } from '../../pipeline/config/fingerprintConfig.ts';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { builtinProfiles } from '../../schemas/coa/profiles/builtin.ts';
import { measureQuality } from '../../stages/convert/measureQuality.ts';
import { importDatasetRow, readOneAnswer } from '../../teachers/importers/importDatasetRow.ts';
import { readForkRows } from '../output/check/support/afmFork.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const tasks =
  'tasks: { sources: [{ file: t.jsonl, profile: mhqa }] }\ntools: { wiki_search: { corpus: t.jsonl } }\n';
const prompt = 'You solve questions with <think> and <web_search>.\n\nRules:\n1. Think first.';

async function load(profiles: string, files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries({ 't.jsonl': '{}\n', ...files }))
    writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, 'coa.yaml'), tasks + profiles);
  return loadConfig(join(folder, 'coa.yaml'), {}, { env: {} });
}

test('a file gives a built-in profile its prompt, and everything else stays', async () => {
  const { profiles, config } = await load('profiles: [{ name: web, instruction_file: p.txt }]\n', {
    'p.txt': `\n${prompt.replaceAll('\n', '\r\n')}\r\n`,
  });
  expect(profiles.profileOf('web')).toEqual({ ...builtinProfiles.web, instruction: prompt });
  expect(profiles.names).toEqual(Object.keys(builtinProfiles));
  // What is stored needs no file any more.
  expect(config.profiles).toEqual([{ name: 'web', instruction: prompt }]);
});

describe('what is wrong is said with file, line and key, before anything is spent', () => {
  test.each([
    [
      'profiles:\n  - { name: web, instruction_file: none.txt }',
      {},
      /coa\.yaml:4: profiles\.0\.instruction_file: .*none\.txt/,
    ],
    [
      'profiles: [{ name: web, instruction_file: p.txt }]',
      { 'p.txt': ' \n' },
      /p\.txt is empty; it must hold the prompt/,
    ],
    [
      'profiles: [{ name: web, instruction_file: p.txt }]',
      { 'p.txt': 'x'.repeat(2 ** 20 + 1) },
      /a prompt has at most 1048576/,
    ],
    [
      'profiles: [{ name: web, instruction_file: p.txt, instruction: x }]',
      { 'p.txt': 'x' },
      /instruction and instruction_file both give the prompt; keep one/,
    ],
    [
      'profiles: [{ name: web, instruction: x, question_join: " Question: " }]',
      {},
      /profiles\.0\.question_join: expected a line feed/,
    ],
    [
      'profiles: [{ name: web, instruction: " " }]',
      {},
      /profiles\.0\.instruction: expected the text of the prompt/,
    ],
    [
      'profiles: [{ name: web, min_interactions: 2 }]',
      {},
      /"web" is a built-in profile; take another name.*only its prompt/,
    ],
  ])('%s', async (profiles, files, message) => {
    await expect(load(`${profiles}\n`, files)).rejects.toThrow(message);
  });
});

test('the text of a prompt shapes conversion and what follows it; the name of its file shapes nothing', async () => {
  const shapingOf = async (name: string, text: string) =>
    fingerprintConfig(await load(`profiles: [{ name: web, instruction_file: ${name} }]\n`, { [name]: text }));
  const [first, renamed, changed, plain] = [
    await shapingOf('a.txt', prompt),
    await shapingOf('b.txt', prompt),
    await shapingOf('a.txt', `${prompt}!`),
    await fingerprintConfig(await load('')),
  ];
  expect(renamed).toEqual(first);
  expect(changed.convert).not.toEqual(first.convert);
  expect({ ...changed, convert: 0 }).toEqual({ ...first, convert: 0 });
  expect({ ...plain, convert: 0 }).toEqual({ ...first, convert: 0 });
  expect(plain.convert).not.toHaveProperty('prompts');
});

test('an imported row is recognised by the prompt of its profile, whatever white space stands around it', async () => {
  const { profiles } = await load('profiles: [{ name: web, instruction_file: p.txt }]\n', {
    'p.txt': prompt,
  });
  const { output } = readForkRows().find(
    ({ kept, output }) => kept && output.includes('<web_search>') && !output.includes('wiki'),
  )!;
  const context = { profiles: profiles.profiles, systemPrompt: '', measureQuality };
  for (const instruction of [prompt, `\n${prompt}\n`, `${prompt}\n\n`]) {
    const row = { instruction, input: 'Question: Who?', output };
    const { trajectory } = importDatasetRow(readOneAnswer(row), context);
    expect(trajectory).toMatchObject({
      profile: 'web',
      question: 'Who?',
      user: `${instruction}\n${row.input}`,
    });
  }
});
