import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writtenRow } from '../../output/dataset/formats/formatParts.ts';
import { renderRow } from '../../output/dataset/renderRow.ts';
import { builtinProfile, builtinProfileNames } from '../../schemas/coa/profiles/builtin.ts';
import { alpacaRow } from '../../schemas/rows/alpaca.ts';
import { afmMask } from '../../schemas/trainers/afmMask.ts';
import { cases } from '../support/cases.ts';
import { trajectoryArbitrary } from '../support/trajectoryArbitrary.ts';
import { answerIds, qwenMaskPatterns } from './check/support/afmFork.ts';
import { qwen, qwenSettings } from './support/qwen.ts';

test('AFM’s fork keeps every emitted row, and masks every observation and nothing else', async () => {
  const profiles = new Set<string>();
  let masked = 0;
  await fc.assert(
    fc.asyncProperty(trajectoryArbitrary(), async (trajectory) => {
      const row = await renderRow(trajectory, builtinProfile(trajectory.profile)!, qwenSettings);
      const { output } = writtenRow(alpacaRow(row));
      const ids = await answerIds(qwen, output);
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
