import { expect, test } from 'vitest';
import { judgeMath } from '../../stages/judge/math/judgeMath.ts';

const signs = ['$', '\\$', 'US$', '€', '£', '¥', '₹'] as const;
const dollars: readonly string[] = signs.slice(0, 3);
const amounts = ['3', '20', '75', '100', '1,250', '0.75', '12.5', '4.99', '2 million', '1000000'];
const judged = (answer: string, gold: string) => judgeMath(answer, gold, 1e-9).judgement;

const otherMoney = amounts.flatMap((amount) =>
  signs.flatMap((sign) =>
    signs
      .filter((other) => other !== sign && !(dollars.includes(sign) && dollars.includes(other)))
      .map((other) => [`${sign}${amount}`, `${other}${amount}`] as const),
  ),
);
const cents = amounts
  .slice(0, 4)
  .flatMap((amount) => dollars.map((sign) => [`${amount} cents`, `${sign}${amount}`] as const));

test('money of another currency is never right', () => {
  expect(otherMoney.length + cents.length).toBeGreaterThanOrEqual(360);
  expect([...otherMoney, ...cents].filter(([a, b]) => judged(a, b) === 'correct')).toEqual([]);
});

test.each([
  ['$20', '\\$20'],
  ['$20', '20 dollars'],
  ['$20', '$20$'],
  ['75 cents', '$0.75'],
  ['$x^2$', 'x^2'],
  ['$\\frac{1}{2}$', '0.5'],
  ['$5$', '5'],
  ['$1,250', '$1250$'],
])('%s is %s', (answer, gold) => {
  expect([judged(answer, gold), judged(gold, answer)]).toEqual(['correct', 'correct']);
});
