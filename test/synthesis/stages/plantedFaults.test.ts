import { expect, test } from 'vitest';
import { formRules } from '../../../synthesis/stages/rules/formRules.ts';
import { wordRules } from '../../../synthesis/stages/rules/wordRules.ts';
import { plantEach } from '../../support/synthesis/plantEach.ts';
import { planters } from '../../support/synthesis/plantedFaults.ts';
import { createWorld } from '../../support/synthesis/world.ts';

const rules = [...formRules, ...wordRules];
const many = 5;
const world = createWorld('sarrow');

test('each planted fault is found by its own rule', () => {
  const tallies = plantEach(world, many, () => rules, 'faults');
  const expected = Object.entries(planters).map(([fault, { rule }]) => ({
    fault,
    planted: many,
    found: { [rule]: many },
    examples: [],
  }));
  expect(tallies).toEqual(expected);
});

test('each rule that is switched off lets its faults through', () => {
  const tallies = plantEach(world, many, (off) => rules.filter(({ name }) => name !== off), 'faults');
  const expected = Object.keys(planters).map((fault) => ({
    fault,
    planted: many,
    found: { none: many },
    examples: [],
  }));
  expect(tallies.map((one) => ({ ...one, examples: [] }))).toEqual(expected);
});

test('every rule has a fault that is its own', () => {
  const own = new Set(Object.values(planters).map(({ rule }) => rule));
  expect(rules.map(({ name }) => name).filter((name) => !own.has(name))).toEqual([]);
});
