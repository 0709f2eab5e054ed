import { describe, expect, test } from 'vitest';
import { askedWords, differ } from '../../../schemas/words/distinguishingWords.ts';
import { foldWords } from '../../../schemas/words/foldWords.ts';
import { foldSpelling, isMisspelling } from '../../../schemas/words/spelling.ts';

const wordsOf = (text: string) => askedWords(foldWords(text).loose);
const difference = (a: string, b: string) => differ(wordsOf(a), wordsOf(b), isMisspelling);

describe('another question', () => {
  test.each([
    ['a name', 'Where was Maria Lund born?', 'Where was Laura Lund born?'],
    ['a name at the start', 'Alien was directed by whom?', 'Fargo was directed by whom?'],
    ['a name in letters of one case beside it', 'Where is Norland?', 'where is sudland'],
    ['a number', 'Who won in 1998?', 'Who won in 1994?'],
    ['a number in words', 'Find the log base two of x.', 'Find the log base three of x.'],
    ['a variable', 'Find the square of x.', 'Find the square of y.'],
    ['an ordinal', 'Who was the first king?', 'Who was the last king?'],
    ['an opposite', 'Sort them in ascending order.', 'Sort them in descending order.'],
    ['a prefix', 'Is the function bounded?', 'Is the function unbounded?'],
    ['negation', 'Which metals are magnetic?', 'Which metals are not magnetic?'],
    ['short negation', 'Why does it rain?', "Why doesn't it rain?"],
    ['what is asked', 'Who signed the treaty?', 'When signed the treaty?'],
    ['swapped names', 'Did Ann beat Bob?', 'Did Bob beat Ann?'],
    ['swapped numbers', 'What is 7 minus 2?', 'What is 2 minus 7?'],
    ['one sign of a Chinese question', '北京在哪个省的南边', '北京在哪个省的北边'],
  ])('%s', (_, a, b) => {
    expect(difference(a, b).isOther).toBe(true);
    expect(difference(b, a).isOther).toBe(true);
  });
});

describe('the same question', () => {
  test.each([
    ['case', 'Who wrote Dune?', 'WHO WROTE DUNE'],
    ['function words', 'What is the capital of Norland?', 'What was a capital in Norland, please?'],
    ['spelling', 'What colour is the Harbour Bridge?', 'What color is the Harbor Bridge?'],
    ['accents', 'Where was Cézanne born?', 'Where was Cezanne born?'],
    ['a slip of the pen', 'Who founded the observatory of Asmara?', 'Who fuonded the observatry of Asmara?'],
    ['order', 'In 1998, who won?', 'Who won in 1998?'],
    ['which for what', 'Which river is it?', 'What river is it?'],
  ])('%s', (_, a, b) => {
    expect(difference(a, b)).toMatchObject({ isOther: false, onlyFirst: [], onlySecond: [] });
  });
});

test.each([
  ['colours', 'colors'],
  ['aeroplanes', 'airplanes'],
  ['organisation', 'organization'],
  ['theatre', 'theater'],
  ['travelled', 'traveled'],
  ['grey', 'gray'],
])('%s is %s', (british, american) => {
  expect(foldSpelling(british)).toBe(american);
  expect(foldSpelling(american)).toBe(american);
});

test.each(['hour', 'four', 'filled', 'wise', 'acre', 'michael', '7th', '日本'])('%s stays', (word) => {
  expect(foldSpelling(word)).toBe(word);
});

test.each([
  ['kenya', 'kenia', true],
  ['founded', 'fuonded', true],
  ['observatory', 'observatry', true],
  ['iceland', 'ireland', false],
  ['alien', 'aliens', false],
  ['niger', 'nigeria', false],
  ['christina', 'christine', false],
  ['house', 'mouse', false],
  ['iran', 'iraq', false],
  ['same', 'same', false],
])('%s for %s is a slip of the pen: %s', (a, b, isSlip) => {
  expect(isMisspelling(a, b)).toBe(isSlip);
  expect(isMisspelling(b, a)).toBe(isSlip);
});
