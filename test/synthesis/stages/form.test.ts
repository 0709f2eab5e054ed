import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../examples/closed-loop/random.ts';
import { type Fact, type Form, formSchema, isVariable, type Triple } from '../../../schemas/taskSynthesis.ts';
import { placedFact } from '../../../synthesis/records/fact.ts';
import { createFactIndex, relationKey, termKey } from '../../../synthesis/stages/form/factIndex.ts';
import { isReadingOf, sameForm } from '../../../synthesis/stages/form/sameForm.ts';
import { atomicCandidate } from '../../../synthesis/stages/grow/nextStep.ts';
import { examined, firstFinding } from '../../../synthesis/stages/rules/examined.ts';
import { formRules, wrongShape } from '../../../synthesis/stages/rules/formRules.ts';
import { shownIn } from '../../../synthesis/stages/rules/shownIn.ts';
import { wordRules } from '../../../synthesis/stages/rules/wordRules.ts';
import { cleanTasks } from '../../support/synthesis/cleanTasks.ts';
import { grownTasks } from '../../support/synthesis/grownTasks.ts';
import { otherSpelling } from '../../support/synthesis/otherSpelling.ts';
import { createWorld, documentOf } from '../../support/synthesis/world.ts';

const world = createWorld('sarrow');
const forms = cleanTasks(world, 150, 'forms').map(({ candidate }) => candidate.form);
const corpus = { index: createFactIndex(world.facts), documents: world.documents };

/** A form with other names of variables, its triples in another order, and names in other letters. */
function retold(form: Form, seed: string): Form {
  const random = createRandom(seed);
  const name = (term: string) => (isVariable(term) ? `?z${term.slice(1)}` : term);
  const put = (term: string) => (isVariable(term) ? name(term) : term.toUpperCase());
  const triples = random.shuffle(form.triples.map(([s, r, v]): Triple => [put(s), r.toUpperCase(), put(v)]));
  const ranges = Object.fromEntries(
    Object.entries(form.ranges ?? {}).map(([key, range]) => [name(key), range]),
  );
  const { compare } = form;
  return {
    ask: form.ask,
    asked: name(form.asked),
    triples,
    ...(form.ranges && { ranges }),
    ...(compare && {
      compare: {
        ...compare,
        variable: name(compare.variable),
        by: name(compare.by),
        of: compare.of.toReversed() as [string, string],
      },
    }),
  };
}

/** A form that asks something else: another relation, direction, winner, range or thing to count. */
function drifted(form: Form): Form[] {
  const [[subject, relation, value], ...rest] = form.triples as [Triple, ...Triple[]];
  return [
    { ...form, triples: [[subject, `${relation} of old`, value], ...rest] },
    { ...form, triples: [[value, relation, subject], ...rest] },
    { ...form, triples: rest.length > 0 ? rest : [[subject, relation, 'another thing']] },
    { ...form, ask: form.ask === 'count' ? 'value' : 'count' },
    ...Object.entries(form.ranges ?? {}).map(
      ([key, [low, high]]): Form => ({ ...form, ranges: { [key]: [low, high + 1] } }),
    ),
    ...(form.compare
      ? [
          {
            ...form,
            compare: {
              ...form.compare,
              picks: form.compare.picks === 'largest' ? ('smallest' as const) : ('largest' as const),
            },
          },
        ]
      : []),
  ];
}

describe('two forms', () => {
  test('are the same in other names, order and letters', () => {
    fc.assert(
      fc.property(fc.constantFrom(...forms), fc.string(), (form, seed) => {
        const other = retold(form, seed);
        expect(formSchema.safeParse(other).success).toBe(true);
        expect([sameForm(form, other), sameForm(other, form)]).toEqual([true, true]);
      }),
    );
  });

  test('that ask something else are not', () => {
    const same = forms.flatMap((form) =>
      drifted(form).flatMap((other) =>
        sameForm(form, other) || sameForm(retold(other, 'x'), form) ? [{ form, other }] : [],
      ),
    );
    expect(same).toEqual([]);
  });

  const film = 'The Testimony (1946 film)';
  const lookUp = (subject: string): Form => ({
    triples: [[subject, 'director', '?a']],
    asked: '?a',
    ask: 'value',
  });
  test.each([
    [film, 'The Testimony', "Who directed the 1946 film 'The Testimony'?", true],
    [film, 'testimony', `Who directed ${film}?`, true],
    [film, 'The Testimony', 'Who directed The Testimony?', false],
    [film, 'The Testimony', 'Who directed The Testimony (1988 film)?', false],
    [film, 'The Testimony (1988 film)', 'Who directed The Testimony (1988 film)?', false],
    ['The Testimony', film, `Who directed ${film}?`, false],
  ])('%s is read as %s in: %s %s', (name, read, question, isSame) => {
    expect(isReadingOf(lookUp(name), lookUp(read), question)).toBe(isSame);
  });

  test('of two compared things each is read by its whole name', () => {
    const compared = (of: [string, string]): Form => ({
      triples: [
        ['?x', 'year', '?y'],
        ['?x', 'director', '?a'],
      ],
      ...{ asked: '?a', ask: 'value', compare: { variable: '?x', of, by: '?y', picks: 'smallest' } },
    });
    const question = `Who directed Black 13 or ${film}, whichever was made first?`;
    expect(isReadingOf(compared([film, 'Black 13']), compared(['Black 13', 'The Testimony']), question)).toBe(
      true,
    );
    expect(isReadingOf(compared([film, 'The Testimony']), compared([film, 'The Testimony']), question)).toBe(
      true,
    );
  });

  test.each([
    ['no triple with the asked variable', { triples: [['Amaranth', 'builder', '?x']], asked: '?a' }],
    ['a triple without a variable', { triples: [['Amaranth', 'builder', 'Heron']], asked: '?a' }],
    [
      'a triple that hangs apart',
      {
        triples: [
          ['A', 'r', '?a'],
          ['B', 'r', '?x'],
        ],
        asked: '?a',
      },
    ],
    [
      'a comparison whose winner is asked for',
      {
        triples: [['?a', 'height', '?n']],
        asked: '?a',
        compare: { variable: '?a', of: ['A', 'B'], by: '?n', picks: 'largest' },
      },
    ],
  ])('with %s are refused', (_, form) => {
    expect(formSchema.safeParse(form).success).toBe(false);
  });
});

describe('the index of facts', () => {
  test('does not depend on the order of the facts', () => {
    const facts = world.facts.slice(0, 400);
    const inOrder = createFactIndex(facts);
    fc.assert(
      fc.property(fc.string(), (seed) => {
        const shuffled = createFactIndex(createRandom(seed).shuffle([...facts]));
        expect(shuffled.relations).toEqual(inOrder.relations);
        for (const relation of inOrder.relations) {
          expect(shuffled.matching(undefined, relation, undefined)).toEqual(
            inOrder.matching(undefined, relation, undefined),
          );
        }
      }),
      { numRuns: 10 },
    );
  });

  test('growing gives the same for facts in any order', () => {
    const shuffled = createFactIndex(createRandom('order').shuffle([...world.facts]));
    const grownBy = (index: typeof shuffled) => grownTasks(world, { ...corpus, index }, 40);
    expect(grownBy(shuffled)).toEqual(grownBy(corpus.index));
  });
});

const spent = { calls: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 };
const atomicOf = (fact: Fact) =>
  atomicCandidate(fact, { seed: 7, corpus_sha256: '', task_id: '', profile: 'web', spent });

describe('the value of a fact', () => {
  const byHand = (quote: string, many_valued: boolean) => {
    const document = documentOf('song.html', 'Red Song', quote);
    const value = 'Ada Quill';
    const fact = {
      subject: 'Red Song',
      relation: 'writer',
      value,
      type: 'entity',
      many_valued,
      quote,
    } as const;
    const placed = placedFact(fact, document);
    const candidate = atomicOf(placed);
    const index = createFactIndex([placed]);
    return firstFinding(formRules, candidate, { index, documents: new Map([[document.address, document]]) });
  };

  test.each([
    ['It was written by Ada Quill with Bo Marsh.', false],
    ['Bo Marsh and "Ada Quill" wrote it.', false],
    ['It was written by Bo Marsh, Ada Quill and others.', true],
    ['It was written by Ada Quill, Bo Marsh.', true],
  ])('is not the answer where it is one of a list: %s', (quote, isMany) => {
    expect(byHand(quote, isMany)).toMatchObject({ reason: 'not_unique', name: 'unique' });
  });

  test.each([
    ['It was written by Ada Quill and sung by Bo Marsh.', true],
    ['In Tarnholm, Ada Quill wrote it.', false],
    ['Ada Quill, Tarnholm', false],
  ])('may be the answer: %s', (quote, isMany) => {
    expect(byHand(quote, isMany)).toBeUndefined();
  });

  test.each([
    ['Donald E. Westlake', true],
    ['Ken St. Andre', true],
    ['It was a ship. Nobody knew it.', false],
  ])('%s is one short value: %s', (value, isOne) => {
    const page = documentOf('a.html', 'Red Song', value);
    const fact = { subject: 'Red Song', relation: 'writer', value, type: 'entity', quote: value } as const;
    const found = wrongShape(examined(atomicOf(placedFact(fact, page)), corpus));
    expect(found === undefined).toBe(isOne);
  });

  test('is not in the brackets of a name that the question says', () => {
    const page = documentOf('a.html', 'Red Song (1973 film)', 'It is of 1973.');
    const fact = {
      subject: page.title,
      relation: 'year',
      value: '1973',
      type: 'date',
      quote: page.text,
    } as const;
    const question = 'What is the year of Red Song (1973 film)?';
    const candidate = { ...atomicOf(placedFact(fact, page)), question };
    const documents = new Map([[page.address, page]]);
    const found = firstFinding(wordRules, candidate, { ...corpus, documents });
    expect(found).toMatchObject({ reason: 'answer_in_question', evidence: { shown: '1973' } });
  });

  test('several values of one document make a relation one of many', () => {
    const text = 'Ada Quill wrote it. Bo Marsh wrote it.';
    const pages = ['a.html', 'b.html'].map((address) =>
      documentOf(address, 'Red Song', `${text} ${address}`),
    );
    const factOf = (value: string, page: number) => {
      const fact = {
        subject: 'Red Song',
        relation: 'writer',
        value,
        type: 'entity',
        quote: `${value} wrote it.`,
      } as const;
      return placedFact(fact, pages[page]!);
    };
    const isMany = (second: number) =>
      createFactIndex([factOf('Ada Quill', 0), factOf('Bo Marsh', second)]).isManyValued('writer');
    expect([isMany(0), isMany(1)]).toEqual([true, false]);
  });
});

describe('spellings', () => {
  test('of one value have one key, and others have others', () => {
    for (const [a, b] of [
      ['1,157', '1157'],
      ['The Amaranth', 'amaranth'],
      ['12 March 1801', 'March 12, 1801'],
      ['Mérrow', 'merrow'],
    ] as const)
      expect(termKey(a)).toBe(termKey(b));
    for (const [a, b] of [
      ['C++', 'C#'],
      ['1843', '12 March 1843'],
      ['May', 'Mary'],
      ['1.5', '15'],
    ] as const)
      expect(termKey(a)).not.toBe(termKey(b));
  });

  test.each([
    ['date of birth', 'Birth date', true],
    ['year of first publication', 'first publication year', true],
    ['remake of', 'remake', false],
    ['birth date', 'birth place', false],
  ])('of relations: %s and %s are one: %s', (a, b, isOne) => {
    expect(relationKey(a) === relationKey(b)).toBe(isOne);
  });

  test('of every value of a world are shown where they stand', () => {
    const values = [...new Set(world.triples.map(({ value }) => value))];
    fc.assert(
      fc.property(fc.constantFrom(...values), fc.string(), (value, seed) => {
        const text = `It has to do with ${otherSpelling(value, createRandom(seed))}, they say.`;
        expect(shownIn(value, text)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['Ada Torrin', 'written by \u0410d\u0430 T\u043erri\u0578'],
    ['Ada Torrin', 'written by Ad\u03b1 T\u03bfrrin'],
    ['Ben', '\u0412\u0435n'],
    ['Ada Torrin', 'ᴀᴅᴀ ᴛᴏʀʀɪɴ'],
    ['Вова', 'ВОВА'],
    ['Ada Torrin', 'A\ufe0fda\u3164 Tor\u200brin'],
    ['1843', 'in 18\ufe0f43'],
    ['1000000', 'about 1 million people'],
    ['1,000,000', '1 million'],
    ['1 million', 'some 1,000,000 people'],
    ['1 million', 'a million people'],
    ['one million', '1,000,000'],
    ['1500000', '1.5 million'],
    ['1.5 million', '1,500,000'],
    ['2500', '2.5 thousand'],
    ['3000000000', '$3bn'],
    ['3.5', 'some 3½ miles'],
    ['3½', '3.5 miles'],
    ['3.5', '3 1/2 miles'],
    ['3.5', 'three and a half miles'],
    ['2500000', 'two and a half million people'],
    ['1,500', 'two point five or one and a half thousand'],
    ['500000', 'half a million people'],
    ['750000', 'three quarters of a million'],
    ['1200000', 'one point two million'],
    ['0.5', 'half of it'],
    ['0.25', 'zero point two five'],
    ['2.75', '2 ¾ inches'],
  ])('%s is shown by "%s"', (value, text) => {
    expect(shownIn(value, text)).toBe(true);
  });

  test('are looked for in time that grows with the text and the value', () => {
    const text = 'three and a half of twelve thousand, a tenth point 1 million '.repeat(4_000);
    const words = Array.from({ length: 7_000 }, (_, at) => `w${at % 9}`).join(' ');
    const start = process.cpuUsage();
    const short = ['1000001', '3.25', '2 million', 'Ada Torrin'];
    expect(short.filter((value) => shownIn(value, text))).toEqual([]);
    expect([`${words} zz`, `${'aa '.repeat(3_500)}b`].filter((value) => shownIn(value, words))).toEqual([]);
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(8);
  });

  test('are found as by a look at each place of the text', () => {
    const few = fc.array(fc.constantFrom('red', 'ink', 'redink', 'in', 'k'), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(few, few, (value, text) => {
        const rows = text.flatMap((_, from) => text.map((__, to) => text.slice(from, to + 1)));
        const sorted = (row: readonly string[]) => row.toSorted().join(' ');
        const isShown = (row: string[]) => sorted(row) === sorted(value) || row.join('') === value.join('');
        expect(shownIn(value.join(' '), text.join(', '))).toBe(rows.some(isShown));
      }),
    );
  });

  test.each([
    ['1000000', '1 billion'],
    ['1000000', '11 million'],
    ['1000000', '1.1 million'],
    ['1 million', '10,000,000'],
    ['1 million', '1,000'],
    ['2500000', 'two and a half billion people'],
    ['500000', 'one and a half million people'],
    ['3.5', '3¼ miles'],
    ['3.5', '13½ miles'],
    ['3½', 'in 3 of them'],
    ['3.5', 'three and a quarter'],
    ['3.5', 'twenty-three and a half'],
    ['0.25', 'zero point two'],
    ['Ada', 'Аdа Torrin'.replace('d', 'b')],
    ['1843', 'between 1838 and 1848'],
    ['157', 'the 1,157 metres'],
    ['12 March 1801', 'on 12 May 1801'],
    ['12 March 1801', 'in March 1801'],
    ['Heron Press', 'the Grey Heron and its crew'],
    ['Merrow', 'Merrowby'],
    ['3', 'in 1833, 13 or 30'],
  ])('%s is not shown by "%s"', (value, text) => {
    expect(shownIn(value, text)).toBe(false);
  });
});
