import { labelled, type MathProblem, program } from './problem.ts';

const answer = { answer: labelled('answer') };

/** Counting and divisibility. */
export const mathCounting: readonly MathProblem[] = [
  {
    question:
      'How many of the integers from 1 to 600 are divisible by exactly two of the numbers 4, 6 and 9?',
    answer: '51',
    plan: '1. Count directly which of the 600 numbers have exactly two of the three divisors.\n2. Count again with least common multiples, as an independent check.',
    trials: [
      {
        think: 'The range is small, so every number can be tested against the three divisors.',
        code: program`
          count = 0
          for n in range(1, 601):
              if sum(n % d == 0 for d in (4, 6, 9)) == 2:
                  count += 1
          print("answer:", count)
        `,
        extract: answer,
        reflection: 'The direct count gives {{answer}}. A count by least common multiples should agree.',
      },
      {
        think:
          'A number divisible by two of them is a multiple of 12, 36 or 18. Multiples of all three are multiples of 36 and must be taken out of each pair.',
        code: program`
          from math import lcm
          pairs = [(4, 6), (4, 9), (6, 9)]
          triple = 600 // lcm(4, 6, 9)
          print("check:", sum(600 // lcm(a, b) - triple for a, b in pairs))
        `,
        extract: { check: labelled('check') },
        reflection: 'Least common multiples give {{check}}, the same as the direct count.',
      },
    ],
    conclusion: 'Both ways of counting lead to {{answer}}.',
  },
  {
    question:
      'A courier walks on a street grid from (0,0) to (6,6), each step going one block east or one block north. How many routes avoid the crossing (3,3)?',
    answer: '524',
    plan: 'Count routes crossing by crossing with a recurrence, leaving out the closed crossing. Then confirm with binomial coefficients.',
    trials: [
      {
        think:
          'Each crossing is reached from the west or from the south, so the counts add up; the closed crossing counts as zero.',
        code: program`
          ways = [[0] * 7 for _ in range(7)]
          ways[0][0] = 1
          for x in range(7):
              for y in range(7):
                  if (x, y) == (3, 3):
                      ways[x][y] = 0
                      continue
                  if x > 0:
                      ways[x][y] += ways[x - 1][y]
                  if y > 0:
                      ways[x][y] += ways[x][y - 1]
          print("answer:", ways[6][6])
        `,
        extract: answer,
        reflection:
          'The table ends with {{answer}} routes. All routes minus those through the closed crossing must give the same.',
      },
      {
        think: 'There are C(12,6) routes in all, and C(6,3) squared of them pass through (3,3).',
        code: program`
          from math import comb
          total = comb(12, 6)
          through = comb(6, 3) ** 2
          print("total:", total)
          print("through:", through)
          print("difference:", total - through)
        `,
        extract: { total: labelled('total'), through: labelled('through') },
        reflection: 'Of {{total}} routes {{through}} are blocked, which confirms the recurrence.',
      },
    ],
    conclusion: '{{total}} routes in all less {{through}} through the crossing leave {{answer}}.',
  },
  {
    question: 'In how many ways can 30 be written as x + 2y + 3z with nonnegative integers x, y and z?',
    answer: '91',
    plan: '- choose y and z freely as long as 2y + 3z does not exceed 30; x is then fixed\n- compare with the coefficient of a generating function',
    trials: [
      {
        think: 'Once y and z are chosen, x is determined, so I only count pairs.',
        code: program`
          pairs = [(y, z) for z in range(11) for y in range(16) if 2 * y + 3 * z <= 30]
          print("answer:", len(pairs))
        `,
        extract: answer,
        reflection: 'There are {{answer}} pairs. The generating function is a good second opinion.',
      },
      {
        think:
          'Multiplying out the series for parts 1, 2 and 3 is the coin problem; entry 30 of the table is the number of ways.',
        code: program`
          table = [1] + [0] * 30
          for part in (1, 2, 3):
              for total in range(part, 31):
                  table[total] += table[total - part]
          print("coefficient:", table[30])
        `,
        extract: { coefficient: labelled('coefficient') },
        reflection: 'The coefficient of the thirtieth power is {{coefficient}}, as it should be.',
      },
    ],
    conclusion: 'Pairs and generating function agree on {{answer}}.',
  },
  {
    question: 'What is the smallest positive integer n for which n! ends in at least 12 zeros?',
    answer: '50',
    plan: 'Zeros at the end come from factors 5, of which there are fewer than factors 2. Find the first n with 12 of them, then look at the factorial itself.',
    trials: [
      {
        think: 'The exponent of 5 in n! is the sum of n over 5, 25 and so on, rounded down each time.',
        code: program`
          def fives(n):
              total = 0
              while n:
                  n //= 5
                  total += n
              return total

          n = 1
          while fives(n) < 12:
              n += 1
          print("answer:", n)
        `,
        extract: answer,
        reflection:
          'The formula reaches twelve at n = {{answer}}. The jump to twelve skips eleven, so I want to see the digits.',
      },
      {
        think:
          'The factorials are small enough to be written out; I count the zeros right before the threshold and at it.',
        code: program`
          from math import factorial

          def zeros(n):
              digits = str(factorial(n))
              return len(digits) - len(digits.rstrip("0"))

          print("before:", zeros(49))
          print("at:", zeros(50))
        `,
        extract: { before: labelled('before'), at: labelled('at') },
        reflection: '49! ends in {{before}} zeros and 50! in {{at}}, so the threshold is crossed there.',
      },
    ],
    conclusion: 'The digits confirm the formula: n = {{answer}}.',
  },
];
