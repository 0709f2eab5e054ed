import { expect, test, vi } from 'vitest';
import { shareEstimate } from '../../../base/statistics/estimates.ts';
import { createRandom, type Random } from '../../../examples/closed-loop/random.ts';
import type { Form, Triple } from '../../../schemas/taskSynthesis.ts';
import type { Candidate } from '../../../synthesis/records/candidate.ts';
import { missedShare } from '../../../synthesis/records/tasksetManifest.ts';
import type { SynthesisRoles, ToolTry } from '../../../synthesis/roles.ts';
import { sameForm } from '../../../synthesis/stages/form/sameForm.ts';
import { type AskedRule, askedRules } from '../../../synthesis/stages/rules/askedRules.ts';
import { cases, someOf } from '../../support/cases.ts';
import { cleanTasks, wordsOf } from '../../support/synthesis/cleanTasks.ts';
import { type AskedCandidate, checkedBy, exactRoles, said } from '../../support/synthesis/exactRoles.ts';
import { createWorld, type World } from '../../support/synthesis/world.ts';

/** The form with its winner, or the relation or direction of a clue, swapped. */
function drifted(form: Form, random: Random): Form {
  const { compare, triples } = form;
  if (compare && random.int(0, 1) === 0)
    return { ...form, compare: { ...compare, picks: compare.picks === 'largest' ? 'smallest' : 'largest' } };
  const at = random.int(0, triples.length - 1);
  const [subject, relation, value] = triples[at]!;
  const swapped: Triple = random.pick([
    [value, relation, subject],
    [subject, relation === 'founder' ? 'birthplace' : 'founder', value],
  ]);
  return { ...form, triples: triples.with(at, swapped) };
}

const answering =
  (answer: string): SynthesisRoles['solveWithTools'] =>
  () =>
    said<ToolTry>({ answer, tool_calls: 2, shown: [] });

/** Faults that models alone plant or find: the check that finds each, and its reason. */
const faults: Readonly<
  Record<
    string,
    {
      check: string;
      reason: string;
      plant: (exact: AskedCandidate, random: Random, world: World) => AskedCandidate;
    }
  >
> = {
  drift: {
    ...{ check: 'read_back', reason: 'answer_drift' },
    plant({ candidate, roles }, random) {
      const form = drifted(candidate.form, random);
      // Whoever solves it takes the words as they were meant.
      return {
        candidate: { ...candidate, question: wordsOf(form) },
        roles: { ...roles, readBack: () => said(form) },
      };
    },
  },
  'known beforehand': {
    ...{ check: 'closed_book', reason: 'closed_book' },
    plant: ({ candidate, roles }) => ({
      candidate,
      roles: {
        ...roles,
        solve: (question, passages, context) =>
          passages.length === 0 ? said(candidate.answers[0]!) : roles.solve(question, passages, context),
      },
    }),
  },
  'evidence that does not say it': {
    ...{ check: 'with_evidence', reason: 'unanswerable' },
    plant: ({ candidate, roles }) => ({ candidate, roles: { ...roles, solve: () => said('') } }),
  },
  'a hop that is not needed': {
    ...{ check: 'without_hop', reason: 'shortcut' },
    plant({ candidate, roles }, random, world) {
      const idle = random.pick(candidate.chain).document;
      const needed = candidate.chain.filter(({ document }) => document !== idle);
      const { solve } = exactRoles({ ...candidate, chain: needed }, world);
      return { candidate, roles: { ...roles, solve } };
    },
  },
  'an answer that no tool finds': {
    ...{ check: 'solvable', reason: 'unanswerable' },
    plant: ({ candidate, roles }) => ({ candidate, roles: { ...roles, solveWithTools: answering('') } }),
  },
  'a second answer': {
    ...{ check: 'alternatives', reason: 'not_unique' },
    plant: ({ candidate, roles }) => ({
      candidate,
      roles: { ...roles, solveWithTools: wrongThenRight(candidate), meetsClues: () => said(true) },
    }),
  },
  'a search that shows it': {
    ...{ check: 'one_search', reason: 'shortcut' },
    plant: ({ candidate, roles }) => ({
      candidate,
      roles: { ...roles, search: async () => `It is ${candidate.answers[0]}.` },
    }),
  },
};

/** Two tries: one with an answer that fits as well, and the right one. */
function wrongThenRight({ answers }: Candidate): SynthesisRoles['solveWithTools'] {
  const turns = ['Another Thing', answers[0]!];
  return () => said<ToolTry>({ answer: turns.shift() ?? answers[0]!, tool_calls: 2, shown: [] });
}

const many = cases(50);

/** So many faults of a kind, in candidates that pass without one. */
async function planted(world: World, fault: string): Promise<AskedCandidate[]> {
  const random = createRandom(`${fault} of ${[...world.documents.keys()][0]}`);
  const isAsked = ({ hops, form }: Candidate) =>
    fault === 'a search that shows it'
      ? hops >= 3 && form.ask === 'value'
      : hops >= 2 && (fault !== 'a second answer' || form.ask === 'value');
  const tasks = cleanTasks(world, many * 6, fault).map(({ candidate }) => candidate);
  const exact = tasks.filter(isAsked).slice(0, many);
  return exact.map((candidate) =>
    faults[fault]!.plant({ candidate, roles: exactRoles(candidate, world) }, random, world),
  );
}

const worlds = someOf(['sarrow', 'tern', 'quoin']).map((seed) => createWorld(seed));

test.each(Object.keys(faults))(
  '%s is found by its own check, and let through without it',
  async (fault) => {
    const { check, reason } = faults[fault]!;
    for (const world of worlds) {
      const found = await checkedBy(world, await planted(world, fault));
      expect(found).toEqual(Array(many).fill(`${reason} by ${check}`));
      const off = (await planted(world, fault)).map((one) => without(check, one));
      expect(await checkedBy(world, off)).toEqual(Array(many).fill('passed'));
      vi.restoreAllMocks();
    }
  },
  120_000,
);

test('of clean candidates none is dropped by models that make no mistake', async () => {
  for (const world of worlds) {
    const tasks = cleanTasks(world, cases(500), 'clean').map(({ candidate }) => candidate);
    const exact = tasks.map((candidate) => ({ candidate, roles: exactRoles(candidate, world) }));
    expect(await checkedBy(world, exact)).toEqual(Array(exact.length).fill('passed'));
  }
}, 120_000);

test('a wrong count is not a second answer: whoever saw too few things says that it fits', async () => {
  const [world] = worlds;
  const counts = cleanTasks(world!, 200, 'counts')
    .filter(({ candidate }) => candidate.form.ask === 'count')
    .map(({ candidate }) => ({ candidate, roles: exactRoles(candidate, world!) }));
  const counted = counts.map((one) => faults['a second answer']!.plant(one, createRandom('counts'), world!));
  expect(counted.length).toBeGreaterThan(5);
  expect(new Set(await checkedBy(world!, counted))).toEqual(new Set(['passed']));
}, 60_000);

/** Switches a check off. */
function without(check: string, { candidate, roles }: AskedCandidate): AskedCandidate {
  if (check === 'one_search') return { candidate, roles: { ...roles, search: undefined! } };
  vi.spyOn(askedRules[check as keyof typeof askedRules] as AskedRule, 'passes').mockReturnValue(true);
  return { candidate, roles };
}

/** Errs in 1 of 10 readings: it reads back what was not asked where that was, and what was meant where it was not. */
function erring({ candidate, roles }: AskedCandidate, random: Random): AskedCandidate {
  const other = drifted(candidate.form, random);
  const readBack: SynthesisRoles['readBack'] = async (...asked) => {
    const { value } = await roles.readBack(...asked);
    if (random.int(0, 9) > 0) return said(value);
    return said(sameForm(value, candidate.form) ? other : candidate.form);
  };
  return { candidate, roles: { ...roles, readBack } };
}

test('of a checker that errs in 1 of 10 readings, three votes let at most 3% of the faulty through', async () => {
  const [world] = worlds;
  const random = createRandom('erring');
  const of = cases(2_500);
  const tasks = cleanTasks(world!, 500, 'erring').map(({ candidate }) => candidate);
  const faulty = Array.from({ length: of }, (_, at) => {
    const candidate = tasks[at % tasks.length]!;
    return erring(
      faults.drift!.plant({ candidate, roles: exactRoles(candidate, world!) }, random, world!),
      random,
    );
  });
  const clean = Array.from({ length: of }, (_, at) => {
    const candidate = tasks[at % tasks.length]!;
    return erring({ candidate, roles: exactRoles(candidate, world!) }, random);
  });
  const passed = async (all: readonly AskedCandidate[]) =>
    (await checkedBy(world!, all)).filter((end) => end === 'passed').length;
  const [wrong, right] = [await passed(faulty), await passed(clean)];
  // Chance alone moves the share by 0.3 points for all cases, and by 0.7 for a fifth of them.
  expect(shareEstimate(wrong, of)!.low).toBeLessThan(0.03);
  expect(wrong / of).toBeLessThan(0.05);
  expect(right / of).toBeGreaterThan(0.95);
}, 300_000);

test('the estimate of wrong tasks holds the truth in 9 of 10 cases', () => {
  const random = createRandom('estimates');
  const drawn = (of: number, percent: number) =>
    Array.from({ length: of }, () => random.int(0, 99) < percent).filter(Boolean).length;
  const held = Array.from({ length: 500 }, () => {
    const faulty = drawn(800, 30);
    const missed = drawn(faulty, 10);
    const measure = { model: 'm', faults: 36, found: 36 - drawn(36, 10), clean: 24, passed: 24 };
    const kept = 800 - faulty + missed;
    const { low, high } = missedShare({ ...measure, dropped: faulty - missed, kept })!;
    return low <= missed / kept && missed / kept <= high;
  });
  expect(held.filter(Boolean).length).toBeGreaterThan(450);
});
