import { expect, test } from 'vitest';
import { RecordFailure } from '../../../contract/errors.ts';
import type { StageOutcome } from '../../../contract/stage.ts';
import { constantsOf, type Fact, type Form, formSchema } from '../../../schemas/taskSynthesis.ts';
import type { Candidate } from '../../../synthesis/records/candidate.ts';
import { hashedText, placedFact, type SourceDocument } from '../../../synthesis/records/fact.ts';
import type { Asked, SynthesisRoles, ToolTry } from '../../../synthesis/roles.ts';
import { createCheckStage } from '../../../synthesis/stages/createCheckStage.ts';
import { createGrowStage } from '../../../synthesis/stages/createGrowStage.ts';
import { createFactIndex } from '../../../synthesis/stages/form/factIndex.ts';
import { atomicCandidate } from '../../../synthesis/stages/grow/nextStep.ts';
import type { ReadCorpus } from '../../../synthesis/stages/rules/examined.ts';
import { synthesizeConfigSchema } from '../../../synthesis/synthesizeConfig.ts';

const pages: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'Red Kite': [['builder', 'Anvil Yard']],
  'Blue Gull': [['builder', 'Tar Works']],
  'Anvil Yard': [['founder', 'Ada Quill']],
  'Tar Works': [['founder', 'Bo Marsh']],
  'Ada Quill': [['birthplace', 'Inkerby']],
  'Bo Marsh': [['birthplace', 'Tarnholm']],
};

const documents = new Map(
  Object.entries(pages).map(([title, rows]): [string, SourceDocument] => {
    const text = `# ${title}\n\n${rows.map(([label, value]) => `${label} | ${value}`).join('\n')}`;
    return [`page:${title}`, { id: title, title, address: `page:${title}`, ...hashedText(text) }];
  }),
);
const facts: Fact[] = [...documents.values()].flatMap((document) =>
  pages[document.title]!.map(([relation, value]) =>
    placedFact(
      { subject: document.title, relation, value, type: 'entity', quote: `${relation} | ${value}` },
      document,
    ),
  ),
);
const corpus: ReadCorpus = { documents, facts, index: createFactIndex(facts), sha256: 'x' };

const seedFact = facts.find(({ value }) => value === 'Inkerby')!;
const spent = { calls: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 };
const atomic = atomicCandidate(seedFact, {
  ...{ seed: 7, corpus_sha256: 'x', task_id: 'candidate_1', profile: 'web', spent },
});

function said<T>(value: T): Promise<Asked<T>> {
  const usage = { prompt_tokens: 10, completion_tokens: 1, cached_tokens: 0 };
  return Promise.resolve({ value, request_hash: 'request_1', model: 'tiny', calls: 1, usage, cost_usd: 0.5 });
}

const chains: Record<string, Form> = {};

/** Models that do what they are asked for: their questions are the names and the number of a form. */
const honest: SynthesisRoles = {
  propose: () => said([]),
  link: () => said(0),
  write(form) {
    const question = `Which one is it, of ${constantsOf(form)}, number ${Object.keys(chains).length}?`;
    chains[question] = form;
    return said(question);
  },
  readBack(question) {
    const path = /^What is the (\w+)(?: of the (\w+))? of (.*)\?$/.exec(question);
    if (!path) return said(chains[question]!);
    const [, last, first, subject] = path;
    const triples = first
      ? [
          [subject, first, '?x'],
          ['?x', last, '?a'],
        ]
      : [[subject, last, '?a']];
    return said(formSchema.parse({ triples, asked: '?a' }));
  },
  solve: (_, passages) =>
    said(
      ['Inkerby', 'Ada Quill', 'Anvil Yard'].every((name) => passages.join().includes(`| ${name}`))
        ? 'Inkerby'
        : '',
    ),
  solveWithTools: () =>
    said<ToolTry>({ answer: 'Inkerby', tool_calls: 4, shown: ['nothing', 'it is Inkerby'] }),
  meetsClues: () => said(false),
  search: () => Promise.resolve('nothing'),
};

function optionsOf(roles: Partial<SynthesisRoles>, config: object = {}) {
  return {
    openRoles: async () => ({ ...honest, ...roles }),
    openCorpus: async () => corpus,
    judge: async ({ answers }: { answers: readonly string[] }, answer: string) => answers.includes(answer),
    config: synthesizeConfigSchema.parse({
      grow: { hops: { min: 3, max: 3 }, operations: { intersect: 0, compare: 0, count: 0, blur: 0 } },
      check: { tools: { tries: 2, max_pass_rate: 1 } },
      ...config,
    }),
    ...{ seed: 7, concurrency: 1 },
  };
}

const context = { signal: new AbortController().signal };

async function grown(): Promise<Candidate> {
  const outcome = await createGrowStage(optionsOf({})).run(atomic, context);
  if (outcome.kind !== 'emit') throw new Error(JSON.stringify(outcome));
  return outcome.records[0]!;
}

async function checked(
  roles: Partial<SynthesisRoles>,
  config: object = {},
): Promise<StageOutcome<Candidate>> {
  return createCheckStage(optionsOf(roles, config)).run(await grown(), context);
}

test('a fact grows to the hops that are aimed at, and keeps what it cost', async () => {
  const candidate = await grown();
  expect(candidate).toMatchObject({ hops: 3, answers: ['Inkerby'], task_id: 'candidate_1' });
  expect(candidate.question).toBeDefined();
  expect(candidate.spent.calls).toBe(3);
  expect(candidate.spent.cost_usd).toBe(1.5);
});

test('a good candidate passes, with a verdict on each check and its effort', async () => {
  const outcome = await checked({});
  expect(outcome).toMatchObject({
    kind: 'emit',
    records: [
      {
        effort: {
          tool_calls: 4,
          first_seen_at: 2,
          one_search: false,
          closed_book_pass_rate: 0,
          tools_pass_rate: 1,
        },
      },
    ],
  });
  const { checks } = outcome.kind === 'emit' ? outcome.records[0]! : { checks: [] };
  expect(checks.every(({ verdict }) => verdict === 'pass')).toBe(true);
  expect(checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'read_back',
      'closed_book',
      'with_evidence',
      'without_hop',
      'one_search',
      'solvable',
    ]),
  );
});

test('without a hop it is asked among noise, too: of one quote alone a solver guesses', async () => {
  const guess: SynthesisRoles['solve'] = (question, passages, context) =>
    passages.some((text) => /Blue Gull|Tar Works|Bo Marsh/.test(text))
      ? honest.solve(question, passages, context)
      : said(passages.length > 0 ? 'Inkerby' : '');
  expect(await checked({ solve: guess })).toMatchObject({ kind: 'emit' });
});

const other = formSchema.parse({ triples: [['Red Kite', 'builder', '?a']], asked: '?a' });
const tried = (answer: string) => said<ToolTry>({ answer, tool_calls: 1, shown: [] });
const faults: [string, Partial<SynthesisRoles>, string, string][] = [
  ['words that ask another form', { readBack: () => said(other) }, 'answer_drift', 'read_back'],
  ['an answer that is known beforehand', { solve: () => said('Inkerby') }, 'closed_book', 'closed_book'],
  ['evidence that gives no answer', { solve: () => said('') }, 'unanswerable', 'with_evidence'],
  [
    'evidence that gives it without a hop',
    { solve: (_, passages) => said(passages.length > 0 ? 'Inkerby' : '') },
    'shortcut',
    'without_hop',
  ],
  ['a search that shows it', { search: async () => 'see Inkerby' }, 'shortcut', 'one_search'],
  ['no try with tools that is right', { solveWithTools: () => tried('') }, 'unanswerable', 'solvable'],
  [
    'a wrong answer that meets every clue',
    { solveWithTools: () => tried('Tarnholm'), meetsClues: () => said(true) },
    'not_unique',
    'alternatives',
  ],
];

test.each(faults)('%s is found by its own check', async (_, roles, reason, check) => {
  const outcome = await checked(roles);
  expect(outcome).toMatchObject({ kind: 'drop', reason });
  const { checks } = outcome.kind === 'drop' ? (outcome.evidence as unknown as Candidate) : { checks: [] };
  expect(checks.filter(({ verdict }) => verdict === 'fail').map(({ name }) => name)).toEqual([check]);
});

test('what is solved too often is too easy, and an answer that does not fit is not a second one', async () => {
  const config = { check: { tools: { tries: 2, max_pass_rate: 0.5 } } };
  expect(await checked({}, config)).toMatchObject({ kind: 'drop', reason: 'too_easy' });
  const turns = ['Inkerby', 'Tarnholm'];
  const half = { solveWithTools: () => tried(turns.shift()!) };
  expect(await checked(half, config)).toMatchObject({ kind: 'emit' });
});

test('checks that are switched off let their fault through', async () => {
  const readBack = () => said(other);
  expect(await checked({ readBack }, { check: { read_back: false } })).toMatchObject({ kind: 'emit' });
  const solve: SynthesisRoles['solve'] = (_, passages) => said(passages.length > 0 ? 'Inkerby' : '');
  expect(await checked({ solve }, { check: { ablation: false } })).toMatchObject({ kind: 'emit' });
});

test('an answer that cannot be read is no vote: others decide, and without any the record fails', async () => {
  const spoiled = () => Promise.reject(new RecordFailure('malformed_answer', 'no JSON'));
  const [solve, meetsClues] = [[spoiled], [spoiled]];
  const roles: Partial<SynthesisRoles> = {
    solve: (...given) => (solve.shift() ?? honest.solve)(...given),
    solveWithTools: () => tried('Tarnholm'),
    meetsClues: () => (meetsClues.shift() ?? (() => said(true)))(),
  };
  const check = { closed_book: { tries: 2 }, tools: { tries: 1, min_passed: 0 } };
  const outcome = await checked(roles, { check });
  expect(outcome).toMatchObject({ kind: 'drop', reason: 'not_unique' });
  const { checks } = outcome.kind === 'drop' ? (outcome.evidence as unknown as Candidate) : { checks: [] };
  const triesOf = (wanted: string) => checks.find(({ name }) => name === wanted)?.tries;
  expect([triesOf('closed_book'), triesOf('alternatives')]).toEqual([1, 2]);
  for (const role of ['readBack', 'solve', 'solveWithTools'] as const)
    await expect(checked({ [role]: spoiled })).rejects.toMatchObject({
      failure: { cause: 'malformed_answer' },
    });
});

test.each(['readBack', 'solve', 'solveWithTools'] as const)(
  'a failure of an endpoint in %s is not a verdict',
  async (role) => {
    const failing = () => Promise.reject(new RecordFailure('endpoint_error', 'gone'));
    await expect(checked({ [role]: failing })).rejects.toMatchObject({
      failure: { cause: 'endpoint_error' },
    });
  },
);

/** Whether the thing that the question names is shown with an answer. */
function fits(question: string, answer: string, shown: readonly string[]): boolean {
  const subject = question.slice(0, -1).split(' of ').at(-1)!;
  return shown.some((text) => text.startsWith(`# ${subject}\n`) && text.endsWith(`| ${answer}`));
}

test('a checker is measured before it is trusted', async () => {
  const measures: object[] = [];
  const measured = (roles: Partial<SynthesisRoles>) =>
    createCheckStage({
      ...optionsOf(roles),
      onMeasured: async (measure) => void measures.push(measure),
    }).begin!();
  await measured({ meetsClues: (question, { answer, shown }) => said(fits(question, answer, shown)) });
  expect(measures).toEqual([{ model: 'tiny', faults: 18, found: 18, clean: 12, passed: 12 }]);
  const expected = expect.objectContaining({ name: 'UserError' });
  // One that finds no second answer, and one that finds fault with all words.
  await expect(measured({ meetsClues: () => said(false) })).rejects.toEqual(expected);
  await expect(measured({ readBack: () => said(other) })).rejects.toEqual(expected);
  const down = () => Promise.reject(new RecordFailure('endpoint_error', 'gone'));
  await expect(measured({ readBack: down })).rejects.toEqual(expected);
});

test('until the solver fails, a task is made harder', async () => {
  const grow = {
    hops: { min: 2, max: 3 },
    until: 'solver_fails',
    operations: { intersect: 0, compare: 0, count: 0, blur: 0 },
  };
  const check = { tools: { tries: 2, max_pass_rate: 0.5 } };
  const hopsAfter = async (solves: (question: string) => string) => {
    const roles = { solveWithTools: (question: string) => tried(solves(question)) };
    const outcome = await createGrowStage(optionsOf(roles, { grow, check })).run(atomic, context);
    return outcome.kind === 'emit' ? outcome.records[0]!.hops : outcome;
  };
  expect(await hopsAfter(() => '')).toBe(2);
  expect(await hopsAfter(() => 'Inkerby')).toBe(3);
});
