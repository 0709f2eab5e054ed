import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeBody, layOutBlocks, observationBody } from '../../../schemas/coa/layout.ts';
import { codeProfile, webProfile } from '../../../schemas/coa/profiles/builtin.ts';
import { nearRedundantInputs, nearWords } from '../../../schemas/filters/nearRedundantInputs.ts';
import { shuffledPairs } from '../../support/shuffledPairs.ts';

/** A trajectory of tool calls alone. */
function callsOf(tag: string, bodies: readonly string[]) {
  const blocks = bodies.flatMap((body) => [
    { tag, origin: 'model' as const, body },
    { tag: 'observation', origin: 'environment' as const, body: observationBody('found') },
  ]);
  return {
    segments: layOutBlocks(blocks).map(({ tag, origin, text }) => ({ tag, origin, text, event: 'e' })),
  };
}

const nearQueries = (queries: readonly string[], similarity = 0.9) =>
  nearRedundantInputs(callsOf('web_search', queries), webProfile, similarity);
const isNear = (a: string, b: string, similarity = 0.9) => nearQueries([a, b], similarity).length > 0;

const word = fc.stringMatching(/^[a-z]{3,9}$/);
const words = fc.uniqueArray(word, { minLength: 2, maxLength: 12 });

test('words in another order, case and punctuation ask the same, however strict', () => {
  fc.assert(
    fc.property(shuffledPairs(words), ([asked, again]) => {
      const rewritten = `${again.map((one) => one.toUpperCase()).join(', ')}?`;
      expect(nearQueries([asked.join(' '), rewritten], 1)).toEqual([
        { tool: 'web_search', earlier: 0, segment: 2 },
      ]);
    }),
  );
});

test('another word, one more word or another number is another question', () => {
  fc.assert(
    fc.property(words, word, fc.nat(), fc.nat(), (list, other, year, otherYear) => {
      fc.pre(!list.includes(other) && year !== otherYear);
      const query = list.join(' ');
      expect(isNear(query, `${query} ${other}`)).toBe(false);
      expect(isNear(`${query} ${year}`, `${query} ${otherYear}`)).toBe(false);
    }),
  );
});

test.each([
  ['history of the encyclopaedia', 'history of the encyclopedia', true],
  ['population of Iran', 'population of Iraq', false],
  ['Austria national team', 'Australia national team', false],
  ['1,000 metres', '1.000 metres', false],
  ['first world war', 'second world war', false],
  ['größte stadt der welt', 'GRÖSSTE Stadt, der Welt', false],
  ['asymptomatic patients', 'symptomatic patients', false],
  ['sort a list in C++', 'sort a list in C#', false],
  ['sort a list in C++', 'sort a list in C', false],
  ['jaguar -encyclopaedia', 'jaguar encyclopaedia', false],
  ['ratio 2:3', 'ratio 3:2', false],
  ['events on 1/2/2020', 'events on 2/1/2020', false],
  ['planets with mass < 5', 'planets with mass > 5', false],
  ['price 5 $', 'price 5 €', false],
  ['at -5 degrees', 'at 5 degrees', false],
  ['state-of-the-art results', 'State of the art: results', true],
  ['\u0065\u0301t\u00e9 programme', '\u00e9t\u00e9 PROGRAMME!', true],
])('%j and %j: %s', (a, b, expected) => {
  expect(isNear(a, b)).toBe(expected);
});

test('likeness is symmetric, and a lower threshold only finds more', () => {
  const sorted = words.map((list) => list.toSorted());
  fc.assert(
    fc.property(sorted, sorted, fc.double({ min: 0.5, max: 1, noNaN: true }), (a, b, similarity) => {
      const found = nearWords(a, b, similarity);
      expect(nearWords(b, a, similarity)).toBe(found);
      if (found) expect(nearWords(a, b, similarity - 0.1)).toBe(true);
    }),
  );
});

test('inputs that are equal as they stand are counted elsewhere', () => {
  expect(nearQueries(['a b', 'A  b', ' a b '])).toEqual([]);
});

describe('inputs that are no words', () => {
  const nearCode = (a: string, b: string) =>
    nearRedundantInputs(callsOf('code', [codeBody(a), codeBody(b)]), codeProfile, 0.9).length > 0;

  test('programs are alike but for comments, empty lines and the ends of lines', () => {
    expect(nearCode('print(1)\nprint(2)', '# again\nprint(1)\n\nprint(2)  ')).toBe(true);
    expect(nearCode('print(1)', 'print(2)')).toBe(false);
    expect(nearCode('print("encyclopaedia")', 'print("encyclopedia")')).toBe(false);
    // Indentation is what says which lines a loop repeats.
    expect(nearCode('for x in y:\n    a(x)\nprint(x)', 'for x in y:\n    a(x)\n    print(x)')).toBe(false);
    expect(nearCode('print("a  b")', 'print("a b")')).toBe(false);
  });

  test('URLs are alike but for scheme, fragment, end and order', () => {
    const near = (a: string, b: string) =>
      nearRedundantInputs(callsOf('crawl_page', [a, b]), webProfile, 0.9).length > 0;
    expect(near('http://a.org/x/ | https://b.org', 'https://b.org#top | https://www.a.org/x')).toBe(true);
    expect(near('http://a.org/x?page=1', 'http://a.org/x?page=2')).toBe(false);
    expect(near('https://A.org/x', 'https://a.org/x')).toBe(true);
    expect(near('https://youtu.be/dQw4', 'https://youtu.be/dqW4')).toBe(false);
  });

  test('other tools may be asked the same', () => {
    const [search] = callsOf('web_search', ['a b']).segments;
    const segments = [search!, ...callsOf('crawl_page', ['b a']).segments];
    expect(nearRedundantInputs({ segments }, webProfile, 0.9)).toEqual([]);
  });
});

test('thousands of calls and endless words are answered', () => {
  const many = Array.from({ length: 3_000 }, (_, n) => `query number ${n} ${'z'.repeat(n % 90)}`);
  expect(nearQueries(many)).toEqual([]);
  const long = Array.from({ length: 100_000 }, (_, n) => `w${n}`).join(' ');
  expect(isNear(long, `${long} more`)).toBe(false);
  expect(isNear('a'.repeat(500_000), 'b'.repeat(500_000))).toBe(false);
});
