import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ScriptEntry } from '../../schemas/teacherScript.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { openBundledTools } from './support/bundledTools.ts';
import { examplesFolder, readExample } from './support/examplesFolder.ts';
import { playSolution } from './support/playSolution.ts';

const script = readExample<ScriptEntry>('quickstart.script.jsonl');
const atlas = path.join(examplesFolder, 'atlas');

/** The first clean solution of a profile, played on the real tools. */
async function firstOf(profile: string) {
  const entry = script.find((one) => one.profile === profile && one.flaw === null)!;
  return { entry, ...(await playedOn(entry)) };
}

async function playedOn(entry: ScriptEntry, ...changed: Parameters<typeof openBundledTools>) {
  const bundled = await openBundledTools(...changed);
  try {
    return await playSolution(entry, bundled.tools);
  } finally {
    await bundled.close();
  }
}

test('a fact that changes on a page changes the answer of a web solution', async () => {
  const { entry, answer, inputs } = await firstOf('web');
  const site = path.join(temporaryFolder(), 'site');
  cpSync(path.join(atlas, 'site'), site, { recursive: true });
  const urls = inputs.flatMap((input) => (Array.isArray(input.urls) ? (input.urls as string[]) : []));
  const lastPage = path.join(site, path.basename(new URL(urls.at(-1)!).pathname));
  writeFileSync(lastPage, readFileSync(lastPage, 'utf8').replaceAll(answer, 'Mount Elsewhere'));
  expect((await playedOn(entry, site)).answer).toBe('Mount Elsewhere');
});

test('a fact that changes in a passage leads an encyclopedia solution elsewhere', async () => {
  const { entry, answer } = await firstOf('mhqa');
  const corpus = path.join(temporaryFolder(), 'passages.jsonl');
  const passages = readFileSync(path.join(atlas, 'passages.jsonl'), 'utf8');
  writeFileSync(corpus, passages.replaceAll(answer, 'Newhaven'));
  expect((await playedOn(entry, undefined, corpus)).answer).toBe('Newhaven');
});
