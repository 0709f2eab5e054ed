import { labelled, type MathProblem, program } from './problem.ts';

const answer = { answer: labelled('answer') };

/** Roots, polynomials and geometry, with answers that are expressions. */
export const mathAlgebra: readonly MathProblem[] = [
  {
    question: 'Simplify \\(\\sqrt{75} + \\sqrt{48} - \\sqrt{27}\\).',
    answer: '6\\sqrt{3}',
    plan: '1. Split each radicand into a square and a square-free part.\n2. Collect the coefficients.\n3. Compare decimals.',
    trials: [
      {
        think: 'All three radicands should leave the same square-free part; a small program can show it.',
        code: program`
          def split(n):
              square = max(d for d in range(1, n + 1) if n % (d * d) == 0)
              return square, n // square ** 2

          parts = [(1, *split(75)), (1, *split(48)), (-1, *split(27))]
          assert len({rest for _, _, rest in parts}) == 1
          coefficient = sum(sign * square for sign, square, _ in parts)
          print("answer: " + str(coefficient) + "\\sqrt{" + str(parts[0][2]) + "}")
        `,
        extract: answer,
        reflection: 'Everything is a multiple of one root, and the coefficients add up to {{answer}}.',
      },
      {
        think: 'I compare the decimals of both sides.',
        code: program`
          from math import isclose, sqrt
          left = sqrt(75) + sqrt(48) - sqrt(27)
          print("equal:", isclose(left, 6 * sqrt(3), rel_tol=1e-12))
          print("decimal:", round(left, 6))
        `,
        extract: { decimal: labelled('decimal') },
        reflection: 'Both sides are {{decimal}}, so the simplification is right.',
      },
    ],
    conclusion: 'The simplified form is {{answer}}.',
  },
  {
    question:
      'What is the length of the space diagonal of a box with edges 4, 6 and 10? Give the exact value in simplest form.',
    answer: '2\\sqrt{38}',
    plan: 'Apply the theorem of Pythagoras in space, take squares out of the root, and check the decimal value.',
    trials: [
      {
        think:
          'The square of the diagonal is the sum of the squares of the edges; I take out the largest square factor.',
        code: program`
          n = 4 ** 2 + 6 ** 2 + 10 ** 2
          outside = max(d for d in range(1, n + 1) if n % (d * d) == 0)
          print("square:", n)
          print("answer: " + str(outside) + "\\sqrt{" + str(n // outside ** 2) + "}")
        `,
        extract: { square: labelled('square'), ...answer },
        reflection: 'The square of the diagonal is {{square}}, and the root of it is {{answer}}.',
      },
      {
        think:
          'Two steps of the plane theorem, first on the floor and then upwards, must give the same length.',
        code: program`
          from math import hypot, sqrt
          floor = hypot(4, 6)
          print("two steps:", round(hypot(floor, 10), 9))
          print("one step:", round(2 * sqrt(38), 9))
        `,
        extract: { steps: labelled('two steps') },
        reflection: 'Both lengths are {{steps}}. No square is left under the root.',
      },
    ],
    conclusion: 'In simplest form the diagonal measures {{answer}}.',
  },
  {
    question:
      'Find the monic quadratic polynomial in x with integer coefficients that has 3 + \\sqrt{5} as a root.',
    answer: 'x^2-6x+4',
    plan: '1. The conjugate is the other root, so sum and product of the roots give the coefficients.\n2. Substitute the root to see that the polynomial vanishes.',
    trials: [
      {
        think: 'I compute with numbers a + b√5 as pairs, which keeps everything exact.',
        code: program`
          def times(p, q):
              return (p[0] * q[0] + 5 * p[1] * q[1], p[0] * q[1] + p[1] * q[0])

          root, conjugate = (3, 1), (3, -1)
          total = (root[0] + conjugate[0], root[1] + conjugate[1])
          product = times(root, conjugate)
          assert total[1] == 0 and product[1] == 0
          print(f"answer: x^2-{total[0]}x+{product[0]}")
        `,
        extract: answer,
        reflection: 'Sum and product are integers, so the polynomial is {{answer}}.',
      },
      {
        think: 'Substituting the root in exact arithmetic must give zero in both parts.',
        code: program`
          a, b = 3, 1
          square = (a * a + 5 * b * b, 2 * a * b)
          value = (square[0] - 6 * a + 4, square[1] - 6 * b)
          print("value:", value)
        `,
        extract: { value: labelled('value') },
        reflection: 'The value at the root is {{value}}, that is zero.',
      },
    ],
    conclusion: 'The polynomial is {{answer}}.',
  },
  {
    question: 'What is the area of the triangle with vertices (2,1), (9,4) and (5,11)?',
    answer: '\\frac{61}{2}',
    plan: 'Use the shoelace formula with exact fractions, and verify with the theorem of Pick.',
    trials: [
      {
        think: 'The shoelace formula needs only products of coordinates.',
        code: program`
          from fractions import Fraction
          p = [(2, 1), (9, 4), (5, 11)]
          twice = sum(p[i][0] * p[(i + 1) % 3][1] - p[(i + 1) % 3][0] * p[i][1] for i in range(3))
          print("answer:", Fraction(abs(twice), 2))
        `,
        extract: answer,
        reflection:
          'The formula gives {{answer}}. All corners are lattice points, so it can be checked by counting.',
      },
      {
        think: 'By Pick, the area is the number of inner points plus half the boundary points minus one.',
        code: program`
          from math import gcd
          p = [(2, 1), (9, 4), (5, 11)]
          edges = [(p[i], p[(i + 1) % 3]) for i in range(3)]
          border = sum(gcd(abs(a[0] - b[0]), abs(a[1] - b[1])) for a, b in edges)

          def inside(x, y):
              signs = [(b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) for a, b in edges]
              return all(s > 0 for s in signs) or all(s < 0 for s in signs)

          inner = sum(inside(x, y) for x in range(2, 10) for y in range(1, 12))
          print("inner:", inner)
          print("border:", border)
          print("pick:", inner + border / 2 - 1)
        `,
        extract: { inner: labelled('inner'), border: labelled('border'), pick: labelled('pick') },
        reflection: 'With {{inner}} inner and {{border}} boundary points the area is {{pick}}.',
      },
    ],
    conclusion: 'Both methods give an area of {{answer}}.',
  },
  {
    question: 'What is the coefficient of x^7 in the expansion of (1 + x + x^2)^6?',
    answer: '126',
    plan: 'Multiply the polynomial out, read the coefficient, and recount it as a number of choices.',
    trials: [
      {
        think: 'Repeated multiplication by 1 + x + x² is a simple convolution.',
        code: program`
          poly = [1]
          for _ in range(6):
              grown = [0] * (len(poly) + 2)
              for i, c in enumerate(poly):
                  for shift in range(3):
                      grown[i + shift] += c
              poly = grown
          print("answer:", poly[7])
          print("sum:", sum(poly))
        `,
        extract: { ...answer, sum: labelled('sum') },
        reflection:
          'The coefficient is {{answer}}, and all coefficients add up to {{sum}}, which is 3 to the sixth.',
      },
      {
        think: 'The coefficient counts sequences of six digits 0, 1, 2 with digit sum 7.',
        code: program`
          from itertools import product
          print("sequences:", sum(sum(s) == 7 for s in product(range(3), repeat=6)))
        `,
        extract: { sequences: labelled('sequences') },
        reflection: 'There are {{sequences}} such sequences.',
      },
    ],
    conclusion: 'The coefficient of the seventh power is {{answer}}.',
  },
];
