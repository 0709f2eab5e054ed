import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UserError } from '../../base/userError.ts';
import { loadConfig } from '../../pipeline/config/loadConfig.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

function configFile(mask: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 't.jsonl'), '{"question":"q","answer":"a"}\n');
  writeFileSync(join(folder, 'w.jsonl'), '{"id":"1","contents":"\\"T\\"\\nx"}\n');
  const file = join(folder, 'coa.yaml');
  writeFileSync(
    file,
    `tasks: { sources: [{ file: t.jsonl, profile: mhqa }] }
tools: { wiki_search: { corpus: w.jsonl } }
dataset:
  mask:
${mask}`,
  );
  return file;
}

test.each([
  [
    '    tag_weights: { thnk: 0 }\n',
    ':5: dataset.mask.tag_weights.thnk: no profile has a tag "thnk"; did you mean "think"? known: think, plan, wiki_search, reflection, answer',
  ],
  [
    '    tag_weights:\n      think: 0.5\n      obsrvation: 1\n',
    ':7: dataset.mask.tag_weights.obsrvation: no profile has a tag "obsrvation"; known: think, plan, wiki_search, reflection, answer',
  ],
  [
    '    tag_weights: { observation: 0.5 }\n',
    ':5: dataset.mask.tag_weights.observation: <observation> is written by the environment, which is never trained; leave it out',
  ],
  [
    '    tag_weights: { think: -1 }\n',
    ':5: dataset.mask.tag_weights.think: expected a number from 0 up, got -1',
  ],
  ['    last_steps: 0\n', ':5: dataset.mask.last_steps: expected a number above 0, got 0'],
  ['    marked: drop\n', ':5: dataset.mask.marked: expected one of train, skip, got "drop"'],
])('a mask that can not be meant: %s', async (mask, message) => {
  const file = configFile(mask);
  const error = await loadConfig(file).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).message).toBe(`${file}${message}`);
});

test('a mask over tags of any profile is right', async () => {
  const { config } = await loadConfig(
    configFile('    tag_weights: { think: 0.5, crawl_page: 2 }\n    last_steps: 2\n    marked: skip\n'),
  );
  expect(config.dataset.mask).toEqual({
    thinking: true,
    tag_weights: { think: 0.5, crawl_page: 2 },
    last_steps: 2,
    marked: 'skip',
  });
});
