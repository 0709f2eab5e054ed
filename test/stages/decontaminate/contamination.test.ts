import { describe, expect, test } from 'vitest';
import { contaminationSchema } from '../../../schemas/contamination.ts';
import { findIn } from './support/findIn.ts';

const hobbit = 'Who wrote The Hobbit?';
const company =
  'In what year was the founder of the company that rebuilt the old harbour bridge of Lisbon born?';
const longProblem =
  'A small town keeps the records of its harbour in three ledgers. The first names every ship that came in, the second every ship that left again, and the third what each of them had on board. One winter a fire destroys a part of the second ledger, and the clerk wants to restore it from the other two without asking anybody. In how many ways can he do so?';
const triangle =
  'Let $ABC$ be a triangle inscribed in a circle. Let the tangents at $B$ and $C$ intersect at point $D$, and let $AD$ intersect the circle at $P$. If $AB=5$, $BC=9$, and $AC=10$, find the length of $AP$.';

describe('what is found', () => {
  test.each([
    ['a short question', hobbit, 'who wrote the hobbit'],
    ['as a sentence of a longer one', hobbit, 'I like books. who wrote the hobbit? Be brief.'],
    ['after a capital letter alone', hobbit, 'Tell me Who wrote The Hobbit'],
    ['as several sentences', triangle, `Geometry: ${triangle} Compute it.`],
    ['another form of a verb', 'Who is the author of Dune?', 'who was author of Dune'],
    ['letters of compatibility forms', 'Who is Ｄune ﬁrst author?', 'WHO IS DUNE FIRST AUTHOR'],
    ['invisible characters inside words', hobbit, 'Who wro\u200bte The Hob\u00adbit?'],
    ['a hyphen taken out', 'Who is the well-known uncle of Tom?', 'Who is the well known uncle of Tom'],
    ['Chinese, without spaces', '谁写了红楼梦这本书？', '请回答：谁写了红楼梦这本书？谢谢'],
    ['a question in a longer one', company, `We were told nothing. ${company} And where?`],
    ['other articles', company, company.replace('of the', 'of a').replace('the old', 'old')],
    ['a misspelled word', company, company.replace('company', 'comapny')],
    ['a long problem', longProblem, `${longProblem.toUpperCase()} THANKS.`],
  ])('%s', (_, benchmark, asked) => {
    const found = findIn([hobbit === benchmark ? company : hobbit, benchmark], asked);
    expect(contaminationSchema.parse(found)).toEqual({
      benchmark: 'b',
      benchmark_file: 'b.jsonl',
      benchmark_row: 2,
      shared_text: benchmark,
    });
  });
});

describe('what is clean', () => {
  test.each([
    ['another name', hobbit, 'Who wrote The Iliad?'],
    ['a question about it', 'Who is the author of Dublin?', 'Who is the author of Dublin Murders?'],
    ['a question through it', hobbit, 'Where was the man born who wrote The Hobbit and taught at Oxford?'],
    ['another order', 'The author of Dune is who?', 'who is the author of Dune'],
    ['other signs', 'What is $2 + 3$?', 'What is $2 - 3$?'],
    ['signs left out', 'What is $2 - 3 + 4$?', 'What is 2 3 + 4'],
    ['other places of numbers', 'What is 7 minus 2?', 'What is 2 minus 7?'],
    ['digits joined otherwise', 'What is 1 + 25?', 'What is 12 + 5?'],
    ['a pattern with another name', company, company.replace('Lisbon', 'Porto')],
    ['another word of a long problem', longProblem, longProblem.replace('winter', 'summer')],
    ['a piece of a long problem', longProblem, longProblem.slice(longProblem.indexOf('The first'), 250)],
    ['an answer', 'Who wrote The Hobbit and when did it appear?', 'J. R. R. Tolkien'],
    ['a formula alone', triangle, 'Find the length of the longest side if its square is 81.'],
    ['nothing but punctuation', hobbit, '?!'],
    ['one word of it', hobbit, 'Hobbit'],
    ['two words as a sentence', 'Which Hobbit?', 'I like books. Which Hobbit? Be brief.'],
  ])('%s', (_, benchmark, asked) => {
    expect(findIn([benchmark], asked)).toBeUndefined();
  });
});

test('a repeated question is named by its first row', () => {
  expect(findIn([hobbit, company, company.toUpperCase()], `So. ${company}`)).toMatchObject({
    benchmark_row: 2,
  });
});
