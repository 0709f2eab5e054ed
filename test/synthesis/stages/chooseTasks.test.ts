import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byName, Counts } from '../../../base/counts.ts';
import type { Task } from '../../../schemas/task.ts';
import { type ChosenCandidate, createChooseStage } from '../../../synthesis/stages/createChooseStage.ts';
import { createWriteStage } from '../../../synthesis/stages/createWriteStage.ts';
import { synthesizeConfigSchema } from '../../../synthesis/synthesizeConfig.ts';
import { runCorpusStage } from '../../support/runStage.ts';

function candidate(
  id: string,
  {
    hops = 1,
    document = 'a',
    answers = [id],
    effort = {},
  }: Partial<Pick<ChosenCandidate, 'hops' | 'answers' | 'effort'>> & { document?: string },
): ChosenCandidate {
  const fact = { subject: 's', relation: 'r', value: answers[0]!, type: 'text', quote: 'q' } as const;
  return {
    ...{
      id,
      task_id: id,
      version: 1,
      seed: 7,
      corpus_sha256: '',
      facts: 1,
      profile: 'web',
      rounds: [],
      checks: [],
    },
    ...{ effort, spent: { calls: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 } },
    form: { triples: [[id, 'r', '?a']], asked: '?a', ask: 'value' },
    chain: [{ ...fact, span: [0, 1], document, document_sha256: '', op: 'atomic' }],
    question: `Which is ${id}?`,
    hops,
    answers,
  };
}

const arbitrary = fc
  .array(fc.record({ hops: fc.integer({ min: 1, max: 3 }), document: fc.constantFrom('a', 'b', 'c') }), {
    maxLength: 30,
  })
  .map((all) => all.map((of, at) => candidate(`c${at}`, { ...of, answers: [`answer ${at % 7}`] })));

async function chosen(candidates: readonly ChosenCandidate[], choose: object, target?: number) {
  const config = synthesizeConfigSchema.parse({ choose, ...(target !== undefined && { target }) });
  const outcomes = await runCorpusStage(createChooseStage(config, 7), candidates);
  expect(outcomes.map(({ index }) => index)).toEqual(candidates.map((_, at) => at));
  return outcomes.flatMap(({ outcome }) => (outcome.kind === 'emit' ? outcome.records : []));
}

const countsOf = (values: readonly (string | number)[]) => byName(Counts.of(values.map(String)));

describe('the stage choose', () => {
  test('keeps no more of a document, an answer and in all than asked for, whatever the order', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, fc.integer({ min: 1, max: 4 }), async (all, most) => {
        const kept = await chosen(all, { per_document: most, per_entity: 2 }, 6);
        expect(kept.length).toBeLessThanOrEqual(6);
        for (const count of Object.values(countsOf(kept.map(({ chain }) => chain[0]!.document))))
          expect(count).toBeLessThanOrEqual(most);
        for (const count of Object.values(countsOf(kept.map(({ answers }) => answers[0]!))))
          expect(count).toBeLessThanOrEqual(2);
        const again = await chosen(all.toReversed(), { per_document: most, per_entity: 2 }, 6);
        expect(new Set(again.map(({ id }) => id))).toEqual(new Set(kept.map(({ id }) => id)));
      }),
    );
  });

  test('keeps the shares of hops, and as many as they allow', async () => {
    const all = [1, 1, 1, 1, 1, 1, 2, 2, 2, 3].map((hops, at) => candidate(`c${at}`, { hops }));
    const hops = (kept: readonly ChosenCandidate[]) => countsOf(kept.map((one) => one.hops));
    expect(hops(await chosen(all, {}))).toEqual({ 1: 6, 2: 3, 3: 1 });
    expect(hops(await chosen(all, { by_hops: { 1: 0.5, 2: 0.5 } }))).toEqual({ 1: 3, 2: 3 });
    expect(hops(await chosen(all, { by_hops: { 2: 0.75, 3: 0.25 } }))).toEqual({ 2: 3, 3: 1 });
    expect(hops(await chosen(all, { by_hops: { 1: 0.5, 2: 0.5 } }, 4))).toEqual({ 1: 2, 2: 2 });
    // What has no candidate takes nothing from the others.
    expect(hops(await chosen(all, { by_hops: { 1: 0.25, 2: 0.25, 9: 0.5 } }, 4))).toEqual({ 1: 2, 2: 2 });
  });

  test('takes what one search does not show before what it shows', async () => {
    const all = [true, true, false, true, undefined].map((one_search, at) =>
      candidate(`c${at}`, { hops: 2, effort: one_search === undefined ? {} : { one_search } }),
    );
    const ids = (kept: readonly ChosenCandidate[]) => kept.map(({ id }) => id);
    expect(ids(await chosen(all, {}, 2))).toEqual(['c2', 'c4']);
    expect(await chosen(all, {}, 3)).toHaveLength(3);
  });

  test('takes operations by their weights as far as they go', async () => {
    const ops = ['depth', 'compare', 'compare', 'compare', 'compare', 'compare', 'depth', 'blur'] as const;
    const all = ops.map((op, at) => {
      const one = candidate(`c${at}`, {});
      return { ...one, rounds: [{ op, form: one.form }] };
    });
    const kept = await chosen(all, {}, 5);
    expect(countsOf(kept.map(({ rounds }) => rounds[0]!.op))).toEqual({ blur: 1, compare: 2, depth: 2 });
  });
});

describe('the stage write', () => {
  test('puts tasks with the same answer into one file', async () => {
    const spelling = fc.constantFrom('A', 'a', 'B', 'C', 'D', 'E', 'F');
    const answers = fc.array(fc.tuple(spelling), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(answers, fc.double({ min: 0, max: 1, noNaN: true }), async (all, share) => {
        const files: Record<string, Omit<Task, 'source'>[]> = { held: [], other: [] };
        const stage = createWriteStage({
          seed: 7,
          heldOutShare: share,
          openWriter: async () => ({
            async write(task, isHeldOut) {
              const file = isHeldOut ? 'held' : 'other';
              return { file, row: files[file]!.push(task) };
            },
            finish: async () => {},
            abort: async () => {},
          }),
        });
        await runCorpusStage(
          stage,
          all.map((answers, at) => candidate(`c${at}`, { answers })),
        );
        const spelt = (tasks: readonly Omit<Task, 'source'>[] = []) =>
          new Set(tasks.flatMap((task) => task.answers.map((answer) => answer.toLowerCase())));
        const others = spelt(files.other);
        expect([...spelt(files.held)].filter((answer) => others.has(answer))).toEqual([]);
        expect(files.held!.length + files.other!.length).toBe(all.length);
        if (share === 0) expect(files.held).toEqual([]);
      }),
    );
  });
});
