import fc from 'fast-check';
import type { Block } from '../../../schemas/coa/layout.ts';
import { builtinProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { maskArbitrary, withMarks } from '../../support/maskArbitrary.ts';
import { trajectoryArbitrary, trajectoryOf } from '../../support/trajectoryArbitrary.ts';

export const mhqa = builtinProfile('mhqa')!;

export const modelBlock = (tag: string): Block => ({ tag, origin: 'model', body: 'x' });
const observation: Block = { tag: 'observation', origin: 'environment', body: '\nx\n' };

/** Two steps with a tool, and the one with the answer. */
export const searched = trajectoryOf(
  mhqa,
  [
    ...['think', 'plan', 'think', 'wiki_search'].map(modelBlock),
    observation,
    ...['think', 'wiki_search'].map(modelBlock),
    observation,
    ...['think', 'answer'].map(modelBlock),
  ],
  'Who?',
  'she',
);

/** Any trajectory, with any segments marked, and any mask. */
export const maskedCase = fc
  .tuple(trajectoryArbitrary(), maskArbitrary, fc.array(fc.nat(30)))
  .map(([trajectory, mask, places]) => ({
    trajectory: withMarks(trajectory, places),
    profile: builtinProfile(trajectory.profile)!,
    mask,
  }));
