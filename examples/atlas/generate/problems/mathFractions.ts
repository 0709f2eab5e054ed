import { labelled, type MathProblem, program } from './problem.ts';

const answer = { answer: labelled('answer') };

/** Exact fractions. */
export const mathFractions: readonly MathProblem[] = [
  {
    question: 'Write the sum of 1/(k(k+2)) for k from 1 to 20 as a fraction in lowest terms.',
    answer: '\\frac{325}{462}',
    plan: '1. Add the terms exactly, with fractions rather than decimals.\n2. Telescope the sum by hand and compare.',
    trials: [
      {
        think: 'Exact fractions avoid any rounding, and they are reduced automatically.',
        code: program`
          from fractions import Fraction
          total = sum(Fraction(1, k * (k + 2)) for k in range(1, 21))
          print("answer:", total)
        `,
        extract: answer,
        reflection: 'The sum is {{answer}} in lowest terms.',
      },
      {
        think:
          'Each term is half of 1/k - 1/(k+2), so only four unit fractions survive: 1, 1/2, 1/21 and 1/22.',
        code: program`
          from fractions import Fraction as F
          print("telescoped:", (F(1) + F(1, 2) - F(1, 21) - F(1, 22)) / 2)
        `,
        extract: { telescoped: labelled('telescoped') },
        reflection: 'Telescoping gives {{telescoped}}, which is the same fraction.',
      },
    ],
    conclusion: 'The exact sum and the telescoped form are both {{answer}}.',
  },
  {
    question:
      'A fair four-sided die with faces 1 to 4 and a fair six-sided die with faces 1 to 6 are rolled together. What is the probability that the sum is a prime number?',
    answer: '\\frac{11}{24}',
    plan: 'List all 24 outcomes and count the prime sums; then go through the primes one at a time.',
    trials: [
      {
        think: 'All pairs of faces are equally likely, so I count those with a prime sum.',
        code: program`
          from fractions import Fraction
          from itertools import product
          primes = {2, 3, 5, 7}
          good = sum(a + b in primes for a, b in product(range(1, 5), range(1, 7)))
          print("answer:", Fraction(good, 24))
        `,
        extract: answer,
        reflection:
          'Counting outcomes gives {{answer}}. I should make sure that no prime up to 10 is missing.',
      },
      {
        think: 'The largest sum is 10. I tally each sum and test it for primality without a list.',
        code: program`
          from collections import Counter
          tally = Counter(a + b for a in range(1, 5) for b in range(1, 7))
          prime = [s for s in tally if s > 1 and all(s % d for d in range(2, s))]
          print("primes:", sorted(prime))
          print("outcomes:", sum(tally[s] for s in prime), "of", sum(tally.values()))
        `,
        extract: { outcomes: labelled('outcomes') },
        reflection:
          'The tally shows {{outcomes}} outcomes with a prime sum. The list of primes was complete.',
      },
    ],
    conclusion: 'With {{outcomes}} favourable outcomes the probability is {{answer}}.',
  },
  {
    question:
      'Two different numbers are drawn at random from 1, 2, ..., 9. What is the expected value of the larger one?',
    answer: '\\frac{20}{3}',
    plan: '1. Average the larger number over all pairs.\n2. Compare with the known formula k(n+1)/(k+1) for the maximum of k draws from 1 to n.',
    trials: [
      {
        think: 'There are only 36 pairs, all equally likely.',
        code: program`
          from fractions import Fraction
          from itertools import combinations
          pairs = list(combinations(range(1, 10), 2))
          print("answer:", Fraction(sum(max(p) for p in pairs), len(pairs)))
        `,
        extract: answer,
        reflection: 'The average over all pairs is {{answer}}, a little below 7, which is plausible.',
      },
      {
        think:
          'The probability that m is the larger one is (m-1)/36; weighting by it must give the same mean.',
        code: program`
          from fractions import Fraction as F
          weighted = sum(m * F(m - 1, 36) for m in range(2, 10))
          formula = F(2 * (9 + 1), 2 + 1)
          print("weighted:", weighted)
          print("formula:", formula)
        `,
        extract: { formula: labelled('formula') },
        reflection: 'The distribution and the formula both say {{formula}}.',
      },
    ],
    conclusion: 'Enumeration, distribution and formula agree: {{answer}}.',
  },
  {
    question:
      'Evaluate the continued fraction 2 + 1/(1 + 1/(2 + 1/(1 + 1/2))) as a fraction in lowest terms.',
    answer: '\\frac{30}{11}',
    plan: 'Fold the fraction from the inside out, then recompute it with the recurrence for convergents.',
    trials: [
      {
        think: 'Starting from the last partial quotient, I take reciprocals and add.',
        code: program`
          from fractions import Fraction
          value = Fraction(2)
          for quotient in (1, 2, 1, 2):
              value = quotient + 1 / value
          print("answer:", value)
        `,
        extract: answer,
        reflection:
          'Folding gives {{answer}}. Convergents run in the other direction, so they make a fair check.',
      },
      {
        think: 'Numerators and denominators obey h(n) = a(n) h(n-1) + h(n-2).',
        code: program`
          h, h0, k, k0 = 1, 0, 0, 1
          for a in (2, 1, 2, 1, 2):
              h, h0 = a * h + h0, h
              k, k0 = a * k + k0, k
              print(f"{h}/{k}")
          print(f"last: {h}/{k}")
        `,
        extract: { last: labelled('last') },
        reflection: 'The last convergent is {{last}}.',
      },
    ],
    conclusion: 'Both directions end at {{answer}}.',
  },
  {
    question:
      'Six letters are put at random into six addressed envelopes, one in each. What is the probability that no letter is in the right envelope?',
    answer: '\\frac{53}{144}',
    plan: '- go through all 720 arrangements\n- compute the number of derangements by its recurrence and compare',
    trials: [
      {
        think: 'Seven hundred and twenty permutations are quickly enumerated.',
        code: program`
          from fractions import Fraction
          from itertools import permutations
          all_ways = list(permutations(range(6)))
          none_right = [p for p in all_ways if all(p[i] != i for i in range(6))]
          print("answer:", Fraction(len(none_right), len(all_ways)))
        `,
        extract: answer,
        reflection: 'The share of arrangements without a hit is {{answer}}.',
      },
      {
        think: 'Derangements satisfy D(n) = (n-1)(D(n-1) + D(n-2)) with D(0) = 1 and D(1) = 0.',
        code: program`
          d = [1, 0]
          for n in range(2, 7):
              d.append((n - 1) * (d[n - 1] + d[n - 2]))
          print("derangements:", d[6])
          print("decimal:", d[6] / 720)
        `,
        extract: { derangements: labelled('derangements'), decimal: labelled('decimal') },
        reflection: 'There are {{derangements}} derangements, and {{decimal}} is close to 1/e, as expected.',
      },
    ],
    conclusion: '{{derangements}} of 720 reduces to {{answer}}.',
  },
];
