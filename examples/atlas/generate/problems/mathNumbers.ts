import { labelled, type MathProblem, program } from './problem.ts';

const answer = { answer: labelled('answer') };

/** Powers, remainders and digits. */
export const mathNumbers: readonly MathProblem[] = [
  {
    question: 'What is the remainder when 7^2025 is divided by 1000?',
    answer: '807',
    plan: '1. Compute the power modulo 1000.\n2. Find the length of the cycle of powers of 7 and use it to confirm the result.',
    trials: [
      {
        think: 'Modular exponentiation gives the remainder without large numbers.',
        code: program`
          print("answer:", pow(7, 2025, 1000))
        `,
        extract: answer,
        reflection: 'The remainder is {{answer}}. The cycle of the last three digits should explain it.',
      },
      {
        think: 'I look for the first power of 7 that leaves remainder 1, and reduce the exponent by it.',
        code: program`
          period, value = 1, 7
          while value != 1:
              value = value * 7 % 1000
              period += 1
          print("period:", period)
          print("reduced:", 2025 % period)
          print("again:", 7 ** (2025 % period) % 1000)
        `,
        extract: { period: labelled('period'), again: labelled('again') },
        reflection: 'The digits repeat every {{period}} powers, and the reduced exponent gives {{again}}.',
      },
    ],
    conclusion: 'Directly and through the cycle of length {{period}} the remainder is {{answer}}.',
  },
  {
    question: 'What is the sum of the decimal digits of 3^40?',
    answer: '90',
    plan: 'Write the number out and add its digits; test the result against divisibility by 9.',
    trials: [
      {
        think: 'Python integers have no limit, so the digits can be read off directly.',
        code: program`
          n = 3 ** 40
          print("number:", n)
          print("answer:", sum(int(d) for d in str(n)))
        `,
        extract: { number: labelled('number'), ...answer },
        reflection: 'The digits of {{number}} add up to {{answer}}.',
      },
      {
        think:
          'I take the digits off by division as well, and the sum must be a multiple of 9 because the power is.',
        code: program`
          n, total = 9 ** 20, 0
          while n:
              n, digit = divmod(n, 10)
              total += digit
          print("total:", total)
          print("multiple of nine:", total % 9 == 0)
        `,
        extract: { total: labelled('total') },
        reflection: 'Division yields {{total}} too, and it is a multiple of nine.',
      },
    ],
    conclusion: 'The digit sum is {{answer}}.',
  },
  {
    question: 'What is the greatest common divisor of 2^84 - 1 and 2^60 - 1?',
    answer: '4095',
    plan: '- run the algorithm of Euclid\n- confirm with the rule that gcd(2^a - 1, 2^b - 1) = 2^gcd(a,b) - 1',
    trials: [
      {
        think: 'Both numbers fit easily, so Euclid settles it.',
        code: program`
          a, b = 2 ** 84 - 1, 2 ** 60 - 1
          while b:
              a, b = b, a % b
          print("answer:", a)
        `,
        extract: answer,
        reflection: 'Euclid ends with {{answer}}.',
      },
      {
        think: 'The exponents have greatest common divisor 12, which predicts the result.',
        code: program`
          from math import gcd
          e = gcd(84, 60)
          print("exponent:", e)
          print("predicted:", 2 ** e - 1)
        `,
        extract: { exponent: labelled('exponent'), predicted: labelled('predicted') },
        reflection: 'The rule predicts {{predicted}} from the exponent {{exponent}}.',
      },
    ],
    conclusion: 'The greatest common divisor is {{answer}}.',
  },
  {
    question: 'Write (1 + 2i)^5 in the form a + bi with real a and b. What is a + b?',
    answer: '3',
    plan: 'Multiply out with integers for the real and the imaginary part, then confirm with the binomial theorem.',
    trials: [
      {
        think: 'Five multiplications by 1 + 2i, with exact integers.',
        code: program`
          a, b = 1, 0
          for _ in range(5):
              a, b = a - 2 * b, 2 * a + b
          print("real:", a)
          print("imaginary:", b)
          print("answer:", a + b)
        `,
        extract: { real: labelled('real'), imaginary: labelled('imaginary'), ...answer },
        reflection: 'The power has real part {{real}} and imaginary part {{imaginary}}.',
      },
      {
        think: 'In the binomial expansion even powers of 2i are real and odd ones imaginary.',
        code: program`
          from math import comb
          real = sum(comb(5, k) * 2 ** k * (-1) ** (k // 2) for k in (0, 2, 4))
          imaginary = sum(comb(5, k) * 2 ** k * (-1) ** (k // 2) for k in (1, 3, 5))
          print("binomial:", real, imaginary)
        `,
        extract: { binomial: labelled('binomial') },
        reflection: 'The expansion gives {{binomial}}, the same pair.',
      },
    ],
    conclusion: 'Adding {{real}} and {{imaginary}} gives {{answer}}.',
  },
];
