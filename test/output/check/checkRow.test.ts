import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CheckSettings, checkTokens } from '../../../output/check/rowFindings.ts';
import { ruleTable } from '../../../output/check/rules.ts';
import { builtinProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { maskConfigSchema } from '../../../schemas/config/dataset.ts';
import type { DatasetRow } from '../../../schemas/rows/datasetRow.ts';
import { tokensCodec } from '../../../schemas/rows/tokens.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { renderCheckDocs } from '../../../scripts/renderCheckDocs.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';
import { qwenText } from '../support/qwenText.ts';

const settings: CheckSettings = {
  tokenText: qwenText,
  mask: maskConfigSchema.parse({}),
  cutoffLen: null,
  mayBeCut: false,
  encodedApart: false,
  own: true,
  profiles: undefined,
  profileOf: builtinProfile,
};

/** A row and its mask, each segment encoded by itself as its origin says. */
async function idRow({ system, user, segments }: Trajectory, prompt?: string) {
  const chat = `<|im_start|>system\n${system}<|im_end|>\n<|im_start|>user\n${user}<|im_end|>\n<|im_start|>assistant\n`;
  const parts = [
    { text: prompt ?? chat, trained: false },
    ...segments.map(({ text, origin }) => ({ text, trained: origin === 'model' })),
    { text: prompt === undefined ? '<|im_end|>\n' : '<|im_start|>\n', trained: true },
  ];
  const ids: number[] = [];
  const mask: number[] = [];
  for (const { text, trained } of parts) {
    const encoded = await qwenText.encode(text);
    ids.push(...encoded.ids);
    mask.push(...encoded.ids.map(() => Number(trained)));
  }
  return { ids, mask };
}

function recognised(ids: readonly number[], lossMask: readonly number[]): DatasetRow {
  return tokensCodec.read({ input_ids: ids, loss_mask: lossMask }) as DatasetRow;
}

describe('the mask of a row', () => {
  test('is right exactly when every token is: one wrong bit anywhere is found, at its place', async () => {
    await fc.assert(
      fc.asyncProperty(trajectoryArbitrary(), fc.nat(), async (trajectory, place) => {
        const { ids, mask } = await idRow(trajectory);
        expect((await checkTokens(recognised(ids, mask), settings, trajectory)).faults).toEqual([]);
        const token = place % mask.length;
        const flipped = mask.with(token, 1 - mask[token]!);
        const { faults } = await checkTokens(recognised(ids, flipped), settings, undefined);
        expect(faults).toMatchObject([{ token, tokens: 1 }]);
      }),
      { numRuns: 60 },
    );
  });

  test('is judged in the markup of no known model too, where the trajectory tells the answer', async () => {
    await fc.assert(
      fc.asyncProperty(trajectoryArbitrary(), async (trajectory) => {
        const { ids, mask } = await idRow(trajectory, `<|im_start|>user: ${trajectory.user}\nmodel:\n`);
        expect((await checkTokens(recognised(ids, mask), settings, trajectory)).faults).toEqual([]);
        const { faults } = await checkTokens(
          recognised(
            ids,
            mask.map(() => 1),
          ),
          settings,
          trajectory,
        );
        expect(faults.map(({ rule }) => rule)).toContain('prompt_trained');
      }),
      { numRuns: 30 },
    );
  });
});

test('docs/check.md is the page of the table', () => {
  const page = readFileSync(new URL('../../../docs/check.md', import.meta.url), 'utf8');
  expect(page).toBe(renderCheckDocs());
  for (const { finds, advice } of Object.values(ruleTable))
    expect(page).toContain(`| ${finds} | ${advice} |`);
});
