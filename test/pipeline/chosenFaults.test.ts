import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRandom } from '../../examples/closed-loop/random.ts';
import type { StageParts } from '../../pipeline/stages/stageParts.ts';
import { configSchema } from '../../schemas/config/config.ts';
import { isVariable, type Triple } from '../../schemas/taskSynthesis.ts';
import { openChoose } from '../../synthesis/openSynthesis.ts';
import type { ChosenCandidate } from '../../synthesis/stages/createChooseStage.ts';
import { cases, someOf } from '../support/cases.ts';
import { runCorpusStage } from '../support/runStage.ts';
import { cleanTasks } from '../support/synthesis/cleanTasks.ts';
import { createWorld } from '../support/synthesis/world.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const many = cases(50);

/** Why the stage `choose` drops each candidate; `kept` where it does not. */
async function chosen(candidates: readonly ChosenCandidate[], settings: object): Promise<string[]> {
  const sources = [{ file: 'tasks.jsonl', profile: 'web' }];
  const config = configSchema.parse({ tasks: { sources }, synthesize: {}, ...settings });
  const stage = openChoose({ loaded: { config }, spillFolder: temporaryFolder } as unknown as StageParts);
  const outcomes = await runCorpusStage(stage, candidates);
  const ends = outcomes.toSorted((a, b) => a.index - b.index);
  return ends.map(({ outcome }) => (outcome.kind === 'drop' ? outcome.reason : 'kept'));
}

/** The same question by another hand: other letters and marks, or other words for the same form. */
function twin(task: ChosenCandidate, at: number): ChosenCandidate {
  const { form, question } = task;
  const id = `twin_${at}`;
  if (at % 2 === 0)
    return { ...task, id, task_id: id, question: `  ${question.toUpperCase().replace('?', ' ?')}` };
  const random = createRandom(id);
  const named = (term: string) => (isVariable(term) ? `${term}b` : term);
  const triples = form.triples.map(([s, r, v]): Triple => [named(s), r, named(v)]);
  const ranges = Object.entries(form.ranges ?? {}).map(([name, range]) => [named(name), range]);
  const compare = form.compare && {
    ...form.compare,
    ...{ variable: named(form.compare.variable), by: named(form.compare.by) },
  };
  return {
    ...task,
    ...{ id, task_id: id, question: `Tell me, in other words, number ${at}.` },
    form: {
      ...{ ask: form.ask, asked: named(form.asked), triples: random.shuffle(triples) },
      ...(form.ranges && { ranges: Object.fromEntries(ranges) }),
      ...(compare && { compare }),
    },
  };
}

test.each(someOf(['sarrow', 'tern', 'quoin']))(
  'in the world %s, re-worded twins and questions of a benchmark are dropped, and nothing else is',
  async (seed) => {
    const tasks = cleanTasks(createWorld(seed), many * 2, seed).map(
      ({ candidate }) => candidate as ChosenCandidate,
    );
    const twins = tasks.slice(0, many).map(twin);
    const benchmark = join(temporaryFolder(), 'benchmark.jsonl');
    const known = tasks
      .slice(many)
      .map(({ question, answers }) => JSON.stringify({ question, answer: answers[0] }));
    writeFileSync(benchmark, known.join('\n'));
    const all = [...tasks, ...twins];
    const ends = [
      ...Array(many).fill('kept'),
      ...Array(many).fill('contaminated'),
      ...Array(many).fill('duplicate_question'),
    ];
    expect(await chosen(all, { decontaminate: { benchmarks: [{ path: benchmark }] } })).toEqual(ends);
    const off = ends.map((end) => (end === 'contaminated' ? 'kept' : end));
    expect(await chosen(all, {})).toEqual(off);
  },
  60_000,
);
