import { expect, test } from 'vitest';
import type { Candidate } from '../../../synthesis/records/candidate.ts';
import { someOf } from '../../support/cases.ts';
import { Oracle } from '../../support/synthesis/oracle.ts';
import {
  playedConfig,
  playedRoles,
  synthesised,
  type TableWorld,
  tableWorld,
} from '../../support/synthesis/playedSynthesis.ts';

/** What comes of a world whose proposer puts a fault into 60% of its facts; all other roles are honest. */
async function byFaultyProposer(world: TableWorld, check: object = {}) {
  const honest = playedRoles({ seed: 7, rate: 0 });
  const { propose } = playedRoles({ seed: 7, rate: 0.6 });
  const settings = { check: { ...playedConfig().check, ...check } };
  const { checked } = await synthesised(world, { ...honest, propose }, settings);
  const oracle = new Oracle(world.triples);
  const isRight = ({ form, answers }: Candidate) => oracle.answers(form).join() === answers[0];
  const kept = checked.filter(({ outcome }) => outcome.kind === 'emit');
  return {
    wrong: kept.filter(({ candidate }) => !isRight(candidate)).length,
    kept: kept.length,
    right: checked.filter(({ candidate }) => isRight(candidate)).length,
    of: checked.length,
  };
}

test.each(someOf(['sarrow', 'tern', 'quoin']))(
  'in the world %s, of what a proposer with three faults in five facts gives the right share is kept, and the oracle finds it right',
  async (seed) => {
    const { wrong, kept, right, of } = await byFaultyProposer(tableWorld(seed));
    expect(kept).toBeGreaterThan(250);
    expect(Math.abs(kept - right) / of).toBeLessThan(0.03);
    expect(wrong).toBe(0);
  },
  300_000,
);

test('facts that were not extracted are looked for: without that, second answers are missed', async () => {
  const { wrong, kept } = await byFaultyProposer(tableWorld('sarrow'), { unread_facts: false });
  expect(wrong).toBeGreaterThan(kept * 0.1);
}, 300_000);
