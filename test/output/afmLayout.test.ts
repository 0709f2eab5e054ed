import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tokenizer } from '../../contract/tokenizer.ts';
import { writtenRow } from '../../output/dataset/formats/formatParts.ts';
import { type RowSettings, renderRow } from '../../output/dataset/renderRow.ts';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import { builtinProfile, builtinProfileNames } from '../../schemas/coa/profiles/builtin.ts';
import { alpacaRow } from '../../schemas/rows/alpaca.ts';
import { afmMask } from '../../schemas/trainers/afmMask.ts';
import { answerIds, qwenMaskPatterns } from '../lint/afmFork.ts';
import { cases } from '../support/cases.ts';
import { trajectoryArbitrary } from '../support/trajectoryArbitrary.ts';
import { rowSettings } from './support/rowSettings.ts';

let tokenizer: Tokenizer;
let settings: RowSettings;

beforeAll(async () => {
  tokenizer = await loadTokenizer('qwen2.5');
  settings = await rowSettings(tokenizer);
});
afterAll(() => tokenizer.close());

test('AFM’s fork keeps every emitted row, and masks every observation and nothing else', async () => {
  const profiles = new Set<string>();
  let masked = 0;
  await fc.assert(
    fc.asyncProperty(trajectoryArbitrary(), async (trajectory) => {
      const row = await renderRow(trajectory, builtinProfile(trajectory.profile)!, settings);
      const { output } = writtenRow(alpacaRow(row));
      const ids = await answerIds(tokenizer, output);
      const mask = afmMask(output, ids, qwenMaskPatterns);
      if (!mask.kept) throw new Error(`dropped: ${mask.reason}`);
      const trained = new Int8Array(ids.length);
      for (const { from, to } of mask.trained) trained.fill(1, from, to);
      // The answer is the row's end; what stands before it is the prompt.
      expect(ids).toEqual(Array.from(row.inputIds.slice(-ids.length)));
      expect(trained).toEqual(row.lossMask.slice(-ids.length));
      expect(row.lossMask.slice(0, -ids.length)).not.toContain(1);
      profiles.add(trajectory.profile);
      masked += trained.length - row.trainedTokens;
    }),
    { numRuns: cases(1_000) },
  );
  expect([...profiles].sort()).toEqual([...builtinProfileNames].sort());
  expect(masked).toBeGreaterThan(cases(10_000));
});
