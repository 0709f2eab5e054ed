import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createProject, jsonLines } from '../cli/support/project.ts';
import { runWell } from '../cli/support/runCli.ts';
import { writeAnswerKey } from '../support/answerKey/answerKeyOf.ts';
import { checkDataset, trajectoriesOf } from '../support/checkDataset.ts';
import { sharedFolder } from './support/sharedFolder.ts';

const families = 16;
const cwd = sharedFolder();
const datasetFolder = path.join(cwd, 'runs/coa/dataset');

const names =
  'Abbas Brunel Cortez Dufour Ekman Farkas Gupta Haddad Ibsen Jensen Kovacs Lovell Moreau Nakai Osman Petrov';
const nameOf = (family: number) => names.split(' ')[family]!;
/** Each family asks the same of two profiles, and once more with other punctuation. */
const spellings: readonly ((name: string) => string)[] = [
  (name) => `Which river flows past the town where the ${name} family built its famous stone mill?`,
  (name) => `WHICH river flows past the town where the ${name} family built its famous stone mill`,
  (name) => `Which river flows past the town where the ${name} family built its famous, stone mill.`,
];
const profileOf = ['mhqa', 'mhqa_double_check', 'mhqa'];

beforeAll(async () => {
  createProject({
    folder: cwd,
    more: 'name: coa\ndataset: { validation_share: 0.4, formats: [afm] }\nfilters: { grounding: { drop: false }, min_interactions: 0, duplicate_questions: keep }\n',
  });
  const sources = spellings.map((spell, nth) => {
    const rows = Array.from({ length: families }, (_, family) => ({
      id: `${family}-${nth}`,
      question: spell(nameOf(family)),
      answer: `river ${family}`,
    }));
    writeFileSync(path.join(cwd, `tasks${nth}.jsonl`), jsonLines(rows));
    return `    - { file: tasks${nth}.jsonl, profile: ${profileOf[nth]} }\n`;
  });
  const config = path.join(cwd, 'coa.yaml');
  const text = readFileSync(config, 'utf8');
  writeFileSync(config, text.replace(/ {4}- file.*\n.*\n/, sources.join('')));
  await writeAnswerKey(config);
  await runWell(['run'], { cwd });
});

async function familiesOf(split: 'train' | 'validation'): Promise<number[]> {
  const trajectories = await trajectoriesOf(datasetFolder, split);
  return trajectories.map(({ question }) =>
    names.split(' ').findIndex((name) => question.toLowerCase().includes(name.toLowerCase())),
  );
}

async function expectApart(): Promise<void> {
  const [train, validation] = [await familiesOf('train'), await familiesOf('validation')];
  expect(train.length + validation.length).toBe(families * spellings.length);
  expect(validation.length).toBeGreaterThan(0);
  expect(train.filter((family) => validation.includes(family))).toEqual([]);
}

test('no cluster is on both sides of a dataset, nor after formats were added to it', async () => {
  await expectApart();
  await runWell(['export', 'coa', '--to', 'tokenized', 'verl'], { cwd });
  await expectApart();
  await checkDataset(datasetFolder);
});
