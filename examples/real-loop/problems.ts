import type { ScriptEntry } from '../../schemas/teacherScript.ts';
import { createRandom, type Random } from '../closed-loop/random.ts';

interface Problem {
  readonly question: string;
  readonly answer: number;
  /** What computes it in Python. */
  readonly expression: string;
}

/** Word problems of two to four steps, with numbers that no small model multiplies in its head. */
const templates: readonly ((random: Random) => Problem)[] = [
  (random) => {
    const [loaves, price, rolls, small] = [
      random.int(13, 89),
      random.int(13, 47),
      random.int(21, 96),
      random.int(6, 19),
    ] as const;
    return {
      question: `A baker sells ${loaves} loaves at ${price} cents each and ${rolls} rolls at ${small} cents each. How many cents does she take in all?`,
      answer: loaves * price + rolls * small,
      expression: `${loaves} * ${price} + ${rolls} * ${small}`,
    };
  },
  (random) => {
    const [most, divisor, other] = [random.int(300, 900), random.pick([4, 6, 8, 9]), random.pick([5, 7, 11])];
    const counts = Array.from({ length: most }, (_, at) => at + 1);
    return {
      question: `How many of the whole numbers from 1 to ${most} are divisible by ${divisor} but not by ${other}?`,
      answer: counts.filter((one) => one % divisor === 0 && one % other !== 0).length,
      expression: `sum(1 for n in range(1, ${most} + 1) if n % ${divisor} == 0 and n % ${other} != 0)`,
    };
  },
  (random) => {
    const [base, power, modulus] = [random.int(3, 19), random.int(12, 40), random.int(23, 97)];
    const answer = Number(BigInt(base) ** BigInt(power) % BigInt(modulus));
    return {
      question: `What is the remainder when ${base}^${power} is divided by ${modulus}?`,
      answer,
      expression: `${base} ** ${power} % ${modulus}`,
    };
  },
  (random) => {
    const [tanks, litres, used, days] = [
      random.int(4, 17),
      random.int(230, 780),
      random.int(11, 39),
      random.int(5, 14),
    ] as const;
    return {
      question: `A farm has ${tanks} tanks with ${litres} litres of water each and uses ${used} litres a day from every tank. How many litres are left in all tanks together after ${days} days?`,
      answer: tanks * (litres - used * days),
      expression: `${tanks} * (${litres} - ${used} * ${days})`,
    };
  },
  (random) => {
    const [first, last] = [random.int(12, 60), random.int(90, 240)];
    const squares = Array.from({ length: last - first + 1 }, (_, at) => (first + at) ** 2);
    return {
      question: `What is the sum of the squares of the whole numbers from ${first} to ${last}?`,
      answer: squares.reduce((sum, square) => sum + square, 0),
      expression: `sum(n * n for n in range(${first}, ${last} + 1))`,
    };
  },
];

/** Easy problems with a number as their answer; all questions are different, and the same seed gives the same ones. */
export function problems(seed: string, count: number): Problem[] {
  const random = createRandom(`${seed}/problems`);
  const found = new Map<string, Problem>();
  for (let at = 0; found.size < count; at++) {
    const problem = templates[at % templates.length]!(random);
    found.set(problem.question, problem);
  }
  return [...found.values()];
}

/** How the scripted teacher solves one. */
export function scriptOf({ question, expression }: Problem): ScriptEntry {
  return {
    question,
    profile: 'calculate',
    flaw: null,
    steps: [
      {
        action: 'tool',
        tool: 'code',
        think: 'A program computes it.',
        input: { code: `print(${expression})` },
        extract: { found: '^(-?\\d+)$' },
      },
      { action: 'answer', think: 'The program printed {{found}}.', answer: '{{found}}' },
    ],
  };
}
