import { type CodeProblem, joined, labelled, program } from './problem.ts';

const stamps = program`
  def fewest_stamps(postage):
      best = [0] + [None] * postage
      for amount in range(1, postage + 1):
          best[amount] = 1 + min(best[amount - s] for s in (1, 7, 10) if s <= amount)
      return best[postage]

  print(fewest_stamps(int(input())))
`;

const flashes = program`
  from math import lcm

  a, b, t = map(int, input().split())
  print(t // a + t // b - 2 * (t // lcm(a, b)))
`;

const nextPalindrome = program`
  def next_palindrome(n):
      n += 1
      digits = str(n)
      half = digits[:(len(digits) + 1) // 2]
      for left in (half, str(int(half) + 1)):
          mirrored = int(left + left[:len(digits) // 2][::-1])
          if mirrored >= n:
              return mirrored
`;

const inBase = program`
  def in_base(n, base):
      digits = ""
      while n:
          n, digit = divmod(n, base)
          digits = "0123456789abcdef"[digit] + digits
      return digits or "0"
`;

/** Numbers and small optimisations. */
export const codeNumbers: readonly CodeProblem[] = [
  {
    question:
      'A post office sells stamps of 1, 7 and 10 pence. Read a postage of p pence (0 <= p <= 100000) and print the smallest number of stamps that make up exactly p.',
    plan: '1. See whether taking the largest stamp first is good enough.\n2. If not, build the best number for every amount up to p.\n3. Compare the two on small amounts.',
    trials: [
      {
        think:
          'Taking the largest stamp first may fail, for instance at 14, so I look for amounts at which it does.',
        code: program`
          def greedy(p):
              count = 0
              for s in (10, 7, 1):
                  count += p // s
                  p %= s
              return count

          def table(limit):
              best = [0]
              for amount in range(1, limit + 1):
                  best.append(1 + min(best[amount - s] for s in (1, 7, 10) if s <= amount))
              return best

          best = table(60)
          print("first failure:", next(p for p in range(61) if greedy(p) != best[p]))
        `,
        extract: { failure: labelled('first failure') },
        reflection: 'Largest first already fails at {{failure}} pence, so the table is needed.',
      },
      {
        think: 'I run the finished program with 14, where two stamps of 7 beat a 10 and four single pence.',
        code: stamps,
        stdin: '14\n',
        extract: { fourteen: '^(\\d+)$' },
        reflection:
          'It prints {{fourteen}}. The table has one entry a penny, so the largest postage takes a fraction of a second.',
      },
    ],
    conclusion: 'The table finds {{fourteen}} stamps where the greedy way fails.',
    tests: { stdin: ['14\n', '0\n', '29\n'], expected_output: ['2\n', '0\n', '5\n'] },
    solution: stamps,
  },
  {
    question:
      'Two lights start together. One flashes every a seconds, the other every b seconds; neither flashes at second 0. In how many of the seconds 1 to t does exactly one of them flash? Read a, b and t (all up to 10^9) from one line.',
    plan: 'Count with multiples rather than second by second: flashes of each light minus twice the common ones. Check against a slow count.',
    trials: [
      {
        think:
          'Up to a billion seconds rule out a loop. Common flashes are multiples of lcm(a, b). First a slow count for small numbers.',
        code: program`
          from math import lcm

          def slow(a, b, t):
              return sum((s % a == 0) != (s % b == 0) for s in range(1, t + 1))

          def fast(a, b, t):
              return t // a + t // b - 2 * (t // lcm(a, b))

          cases = [(a, b, t) for a in range(1, 9) for b in range(1, 9) for t in range(0, 60, 7)]
          print("differences:", sum(slow(*c) != fast(*c) for c in cases))
          print("cases:", len(cases))
        `,
        extract: { differences: labelled('differences'), cases: labelled('cases') },
        reflection:
          'In {{cases}} cases there are {{differences}} differences between the formula and the count.',
      },
      {
        think: 'Large numbers now, in the form in which the input comes.',
        code: flashes,
        stdin: '6 10 1000000000\n',
        extract: { large: '^(\\d+)$' },
        reflection: 'The large case gives {{large}} at once.',
      },
    ],
    conclusion: 'The formula is exact and takes constant time.',
    tests: {
      stdin: ['4 6 24\n', '5 5 100\n', '6 10 1000000000\n'],
      expected_output: ['6\n', '0\n', '200000000\n'],
    },
    solution: flashes,
  },
  {
    question:
      'Write a function next_palindrome(n) that returns the smallest integer greater than n whose decimal digits read the same forwards and backwards. n is between 0 and 10^15.',
    plan: '- mirror the left half onto the right\n- if the result is not larger than n, raise the left half by one and mirror again\n- numbers of nines only are special',
    trials: [
      {
        think:
          'Counting upwards would be too slow for large n, so I mirror the left half. For small n a slow search can confirm it.',
        code: joined(
          nextPalindrome,
          program`
          def slow(n):
              n += 1
              while str(n) != str(n)[::-1]:
                  n += 1
              return n

          wrong = [n for n in range(20000) if next_palindrome(n) != slow(n)]
          print("wrong:", wrong[:5])
        `,
        ),
        extract: { wrong: labelled('wrong') },
        reflection:
          'The list of wrong values is {{wrong}}, so mirroring agrees with the slow search up to twenty thousand.',
      },
      {
        think: 'What happens next to a row of nines, and for large numbers?',
        code: joined(
          nextPalindrome,
          program`
          print("nines:", next_palindrome(9999))
          print("large:", next_palindrome(123456789012345))
        `,
        ),
        extract: { nines: labelled('nines'), large: labelled('large') },
        reflection: 'After 9999 comes {{nines}}, and the large one is {{large}}.',
      },
    ],
    conclusion: 'Mirroring is right and fast, so that is the function.',
    tests: {
      functional: `result = next_palindrome(0)
assert result == 1, f"Expected 1, but got {repr(result)}"

result = next_palindrome(9999)
assert result == 10001, f"Expected 10001, but got {repr(result)}"

result = next_palindrome(123456789012345)
assert result == 123456797654321, f"Expected 123456797654321, but got {repr(result)}"
`,
    },
    solution: nextPalindrome,
  },
  {
    question:
      'Write a function in_base(n, base) that returns the nonnegative integer n in the given base, 2 to 16, as a string with the digits 0 to 9 and a to f.',
    plan: 'Take off digits by division with remainder, treat zero on its own, and convert back to check.',
    trials: [
      {
        think: 'Python reads strings in any base, so converting back is a perfect check.',
        code: joined(
          inBase,
          program`
          bad = [(n, b) for b in range(2, 17) for n in range(500) if int(in_base(n, b), b) != n]
          print("bad:", bad)
        `,
        ),
        extract: { bad: labelled('bad') },
        reflection: 'No number fails on the way back: {{bad}}.',
      },
      {
        think: 'I look at a few values in print, zero among them.',
        code: joined(
          inBase,
          program`
          print("zero:", in_base(0, 7))
          print("hex:", in_base(48879, 16))
          print("binary:", in_base(37, 2))
        `,
        ),
        extract: { zero: labelled('zero'), hex: labelled('hex') },
        reflection: 'Zero is {{zero}}, and the hexadecimal word reads {{hex}}.',
      },
    ],
    conclusion: 'The function holds in both directions.',
    tests: {
      functional: `result = in_base(0, 7)
assert result == '0', f"Expected '0', but got {repr(result)}"

result = in_base(48879, 16)
assert result == 'beef', f"Expected 'beef', but got {repr(result)}"

result = in_base(37, 2)
assert result == '100101', f"Expected '100101', but got {repr(result)}"
`,
    },
    solution: inBase,
  },
];
