import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutPlaces, cutRow, type RowSettings, renderRow } from '../../../output/dataset/renderRow.ts';
import { segmentWeights } from '../../../output/rows/segmentWeights.ts';
import { builtinProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { type MaskConfig, maskConfigSchema } from '../../../schemas/config/dataset.ts';
import type { Trajectory } from '../../../schemas/trajectory.ts';
import { withMarks } from '../../support/maskArbitrary.ts';
import { maskedCase, mhqa, searched } from '../support/maskedCase.ts';
import { qwen, qwenSettings } from '../support/qwen.ts';

describe('the longest beginning that fits', () => {
  /** Sizes of the rows that keep so many segments: growing, as rows do. */
  const sizes = fc
    .array(fc.nat(5), { minLength: 1, maxLength: 40 })
    .map((steps) => steps.map((_, at) => steps.slice(0, at + 1).reduce((sum, step) => sum + step, 0)));

  test('is found in few renderings, whatever the sizes', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(120), async (sizeOf, limit) => {
        let rendered = 0;
        const found = await cutRow(
          [...sizeOf.keys()],
          async (kept) => {
            rendered += 1;
            return sizeOf[kept]!;
          },
          (size) => size <= limit,
        );
        const kept = sizeOf.findLastIndex((size) => size <= limit);
        expect(found).toEqual(kept < 0 ? undefined : { kept, row: sizeOf[kept] });
        expect(rendered).toBeLessThanOrEqual(Math.floor(Math.log2(sizeOf.length)) + 1);
      }),
    );
  });

  test('is none where there is no place to cut', async () => {
    const render = () => Promise.reject(new Error('nothing to render'));
    expect(await cutRow([], render, () => true)).toBeUndefined();
  });
});

describe('a cut row may end', () => {
  const placesOf = (mask: Partial<MaskConfig>, trajectory = searched) =>
    cutPlaces(trajectory, mhqa, { ...maskConfigSchema.parse({}), ...mask });

  test('after any segment of the model but the last', () => {
    expect(placesOf({})).toEqual([1, 2, 3, 4, 6, 7, 9]);
  });

  test('after none that the mask leaves out', () => {
    expect(placesOf({ thinking: false })).toEqual([2, 4, 7]);
    expect(placesOf({ tag_weights: { wiki_search: 0 } })).toEqual([1, 2, 3, 6, 9]);
    expect(placesOf({ marked: 'skip' }, withMarks(searched, [2, 3]))).toEqual([1, 2, 6, 7, 9]);
  });

  test('before the last steps too: it has last steps of its own', () => {
    expect(placesOf({ last_steps: 1 })).toEqual(placesOf({}));
  });
});

describe('rows that are too long', () => {
  const render = (trajectory: Trajectory, changed: Partial<RowSettings>) =>
    renderRow(trajectory, builtinProfile(trajectory.profile)!, { ...qwenSettings, ...changed });

  test('are cut to the longest beginning that fits and ends with a trained segment, without an end of turn', async () => {
    await fc.assert(
      fc.asyncProperty(
        maskedCase,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async ({ trajectory: given, mask }, share) => {
          const profile = builtinProfile(given.profile)!;
          const whole = await render(given, { mask });
          const cutoffLen = Math.floor(whole.inputIds.length * share);
          const row = await render(given, { mask, cutoffLen });
          const places = cutPlaces(given, profile, mask);
          if (row.cut === undefined) {
            expect(row).toEqual(whole);
            const shortest = places[0] && (await beginning(given, mask, places[0]));
            if (shortest !== undefined && share < 1) expect(shortest).toBeGreaterThan(cutoffLen);
            return;
          }
          const kept = given.segments.length - row.cut.segments;
          expect(row.rendered.segments).toEqual(whole.rendered.segments.slice(0, kept));
          expect(row.inputIds).toEqual(whole.inputIds.slice(0, whole.inputIds.length - row.cut.tokens));
          expect(row.inputIds.length).toBeLessThanOrEqual(cutoffLen);
          const weights = segmentWeights({ ...given, ...row.rendered }, profile, mask);
          expect(weights.at(-1)).toBeGreaterThan(0);
          expect(row.lossMask.at(-1)).toBe(1);
          expect(row.pieces.at(-1)?.text).toBe(row.rendered.segments[kept - 1]!.text);
          const next = places.find((place) => place > kept);
          if (next !== undefined) expect(await beginning(given, mask, next)).toBeGreaterThan(cutoffLen);
        },
      ),
      { numRuns: 150 },
    );
  });

  /** Tokens of the row that keeps so many segments, worked out from the text of the whole row. */
  async function beginning(trajectory: Trajectory, mask: MaskConfig, kept: number): Promise<number> {
    const { pieces } = await render(trajectory, { mask });
    const prompt = pieces.length - 2 - trajectory.segments.length;
    const counts = pieces
      .slice(0, prompt + kept)
      .map(async ({ kind, text }) => (kind === 'control' ? 1 : (await qwen.encode(text)).length));
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  test('have their own last steps in the loss', async () => {
    const mask = maskConfigSchema.parse({ last_steps: 1 });
    const length = (await render(searched, { mask })).inputIds.length;
    const { cut, lossMask, inputIds } = await render(searched, { mask, cutoffLen: length - 20 });
    expect(cut?.segments).toBe(3);
    const trained = inputIds.filter((_, at) => lossMask[at] === 1);
    expect(await qwen.decode(Uint32Array.from(trained))).toBe(
      '<think>x</think>\n<wiki_search>x</wiki_search>\n',
    );
  });
});
