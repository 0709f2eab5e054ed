import { expect, test } from 'vitest';
import { type ScriptEntry, scriptEntrySchema } from '../../schemas/teacherScript.ts';
import { readExample } from './support/examplesFolder.ts';

// That its solutions are right, and its flaws those that are planted, the quickstart itself shows.
const script = readExample<ScriptEntry>('quickstart.script.jsonl');
const clean = script.filter((entry) => entry.flaw === null);

test('holds one solution a task row, in the order of the quickstart’s task sources', () => {
  for (const entry of script) expect(scriptEntrySchema.parse(entry)).toEqual(entry);
  const asked = ['web', 'mhqa', 'math', 'code'].flatMap((profile) =>
    readExample<{ question: string }>(`tasks/${profile}.jsonl`).map(({ question }) => ({
      profile,
      question,
    })),
  );
  expect(script.map(({ profile, question }) => ({ profile, question }))).toEqual(asked);
});

test('says things in many ways', () => {
  const thoughts = clean.flatMap((entry) => entry.steps.map((step) => step.think)).filter(Boolean);
  const times = [...Map.groupBy(thoughts, (think) => think).values()].map((same) => same.length);
  expect(times.length).toBeGreaterThan(thoughts.length * 0.6);
  expect(Math.max(...times)).toBeLessThan(thoughts.length * 0.03);
});

test('holds clean solutions that change their plan and that correct a low double check', () => {
  const web = clean.filter((entry) => entry.profile === 'web');
  const changed = web.filter(({ steps }) => steps.filter(({ action }) => action === 'plan').length > 1);
  expect(changed.length).toBeGreaterThan(2);
  const low = web.filter(({ steps }) =>
    steps.some((step) => step.action === 'double_check' && step.score < 3),
  );
  expect(low.length).toBeGreaterThan(2);
  expect(low.length).toBeLessThan(web.length);
});
