import { expect, test } from 'vitest';
import { formRules } from '../../../synthesis/stages/rules/formRules.ts';
import { wordRules } from '../../../synthesis/stages/rules/wordRules.ts';
import { plantEach } from '../../support/synthesis/plantEach.ts';
import { planters } from '../../support/synthesis/plantedFaults.ts';
import { createWorld } from '../../support/synthesis/world.ts';

const rules = [...formRules, ...wordRules];
const many = 50;

test.each(['sarrow', 'tern', 'quoin'])(
  'in the world %s 50 faults of each kind are found by their own rules, and by no other',
  (seed) => {
    const world = createWorld(seed);
    const all = plantEach(world, many, () => rules, seed);
    const off = plantEach(world, many, (rule) => rules.filter(({ name }) => name !== rule), seed);
    const foundBy = (name: (rule: string) => string) =>
      Object.entries(planters).map(([fault, { rule }]) => ({
        fault,
        planted: many,
        found: { [name(rule)]: many },
        examples: [],
      }));
    expect(all).toEqual(foundBy((rule) => rule));
    expect(off.map((one) => ({ ...one, examples: [] }))).toEqual(foundBy(() => 'none'));
  },
  300_000,
);
