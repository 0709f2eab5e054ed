import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { neutralise } from '../../schemas/coa/neutralise.ts';
import type { ScriptEntry } from '../../schemas/teacherScript.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { type BundledTools, openBundledTools } from './support/bundledTools.ts';
import { examplesFolder, readExample } from './support/examplesFolder.ts';
import { type PlayedSolution, playSolution } from './support/playSolution.ts';

interface QuestionRow {
  readonly question: string;
  readonly answer?: string;
  readonly answers?: readonly string[];
}

const script = readExample<ScriptEntry>('quickstart.script.jsonl');
const played = new Map<ScriptEntry, PlayedSolution>();
let bundled: BundledTools;

beforeAll(async () => {
  bundled = await openBundledTools();
  for (const entry of script) {
    if (entry.profile === 'web' || entry.profile === 'mhqa') {
      played.set(entry, await playSolution(entry, bundled.tools));
    }
  }
});
afterAll(() => bundled.close());

describe('the searching solutions, played on the real tools', () => {
  test('find every value that they look for', () => {
    for (const [entry, { steps }] of played) {
      const text = JSON.stringify(
        steps.map((step) => (step.action === 'tool' ? { ...step, extract: {} } : step)),
      );
      expect(text, entry.question).not.toMatch(/\{\{|\bunknown\b/);
    }
  });

  test('end with the gold answer, unless a wrong one is planted', () => {
    for (const profile of ['web', 'mhqa']) {
      const rows = readExample<QuestionRow>(`tasks/${profile}.jsonl`);
      const golds = new Map(rows.map(({ question, answer, answers }) => [question, answers ?? [answer]]));
      for (const [entry, { answer }] of played) {
        if (entry.profile !== profile) continue;
        const right = golds.get(entry.question)!.includes(answer);
        expect(right, `${entry.question}: ${answer}`).toBe(entry.flaw !== 'wrong_answer');
      }
    }
  });

  test('never ask a tool the same thing twice, unless that is planted', () => {
    for (const [entry, { inputs }] of played) {
      const folded = inputs.map((input) =>
        JSON.stringify(input).toLowerCase().replace(/\s+/g, ' ').replace(' "', '"'),
      );
      expect(new Set(folded).size < folded.length, entry.question).toBe(entry.flaw === 'redundant_query');
    }
  });

  test('are shown look-alikes of structure on the way, in both profiles', () => {
    for (const profile of ['web', 'mhqa']) {
      const hostile = [...played].filter(
        ([entry, { observations }]) =>
          entry.profile === profile &&
          entry.flaw === null &&
          observations.some((text) => neutralise(text).count > 0),
      );
      expect(hostile.length, profile).toBeGreaterThan(0);
    }
  });
});

describe('a fact that changes', () => {
  test('on a page changes the answer of a web solution', async () => {
    const entry = script.find(({ profile, flaw }) => profile === 'web' && flaw === null)!;
    const { answer } = played.get(entry)!;
    const site = path.join(temporaryFolder(), 'site');
    cpSync(path.join(examplesFolder, 'atlas/site'), site, { recursive: true });
    const page = lastPage(played.get(entry)!, site);
    writeFileSync(page, readFileSync(page, 'utf8').replaceAll(answer, 'Mount Elsewhere'));
    const changed = await openBundledTools(site);
    try {
      expect((await playSolution(entry, changed.tools)).answer).toBe('Mount Elsewhere');
    } finally {
      await changed.close();
    }
  });

  test('in a passage leads an encyclopedia solution elsewhere', async () => {
    const entry = script.find(({ profile, flaw }) => profile === 'mhqa' && flaw === null)!;
    const { answer } = played.get(entry)!;
    const corpus = path.join(temporaryFolder(), 'passages.jsonl');
    const passages = readFileSync(path.join(examplesFolder, 'atlas/passages.jsonl'), 'utf8');
    writeFileSync(corpus, passages.replaceAll(answer, 'Newhaven'));
    const changed = await openBundledTools(undefined, corpus);
    try {
      expect((await playSolution(entry, changed.tools)).answer).toBe('Newhaven');
    } finally {
      await changed.close();
    }
  });
});

/** The file of the page that was opened last. */
function lastPage({ inputs }: PlayedSolution, site: string): string {
  const urls = inputs.flatMap((input) => (Array.isArray(input.urls) ? (input.urls as string[]) : []));
  return path.join(site, path.basename(new URL(urls.at(-1)!).pathname));
}
