import { expect, test } from 'vitest';
import { createFactIndex } from '../../../synthesis/stages/form/factIndex.ts';
import { firstFinding } from '../../../synthesis/stages/rules/examined.ts';
import { formRules } from '../../../synthesis/stages/rules/formRules.ts';
import { wordRules } from '../../../synthesis/stages/rules/wordRules.ts';
import { someOf } from '../../support/cases.ts';
import { cleanTasks } from '../../support/synthesis/cleanTasks.ts';
import { grownTasks } from '../../support/synthesis/grownTasks.ts';
import { Oracle } from '../../support/synthesis/oracle.ts';
import { createWorld } from '../../support/synthesis/world.ts';

const worlds = someOf(['sarrow', 'tern', 'quoin']).map((seed) => {
  const world = createWorld(seed);
  const corpus = { index: createFactIndex(world.facts), documents: world.documents };
  return { seed, world, corpus, oracle: new Oracle(world.triples) };
});
const rules = [...formRules, ...wordRules];

test('no clean candidate is dropped', () => {
  const dropped = worlds.flatMap(({ seed, world, corpus }) =>
    cleanTasks(world, 500, seed).flatMap(({ candidate }) => firstFinding(rules, candidate, corpus) ?? []),
  );
  expect(dropped).toEqual([]);
});

test('of all kept tasks the oracle finds one answer, the gold one, from as many pages as hops, by clues that are all needed', () => {
  const found = worlds.flatMap(({ world, corpus, oracle }) =>
    grownTasks(world, corpus, 4).map(({ form, hops, answers }) => ({
      form,
      declared: { answers, hops, needsEachClue: true, hasOneThingALink: true, isWithoutCycle: true },
      found: {
        answers: oracle.answers(form),
        hops: oracle.fewestPages(form),
        needsEachClue: oracle.needsEachClue(form),
        hasOneThingALink: oracle.hasOneThingALink(form),
        isWithoutCycle: oracle.isWithoutCycle(form),
      },
    })),
  );
  expect(found.length).toBeGreaterThan(300 * worlds.length);
  expect(
    found.filter(({ declared, found: seen }) => JSON.stringify(declared) !== JSON.stringify(seen)),
  ).toEqual([]);
});
