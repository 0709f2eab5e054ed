import { test } from 'vitest';
import { expectOneFigure } from './support/chargedRun.ts';

test.each([
  ['of which every answer came', { refused: 0.08, broken: 0.12 }, false],
  ['of which some answers were lost', { refused: 0.05, cut: 0.1, uncounted: 0.05 }, true],
])('a run by workers %s says one figure of its spending in every place', (_title, endings, isLossy) =>
  expectOneFigure(endings, { isLossy, args: ['--workers', '2'] }),
);
