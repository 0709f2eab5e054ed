import { createRandom, type Random } from '../../examples/closed-loop/random.ts';

const syllables = 'ba ce di fo gu ha jel kim lor mun nex pol qua ris sten tur vel wim xan yor zed'.split(' ');
const nouns =
  'river bridge council museum treaty harbour orchestra railway garden library mine observatory mill fortress canal'.split(
    ' ',
  );
const verbs = 'rebuilt founded painted sold mapped closed flooded restored named visited'.split(' ');
const fillers =
  'while after because although where many people later local old narrow eastern several quiet former second during winter under slowly every which their against'.split(
    ' ',
  );

/** A name that no other question is likely to have. */
function name(random: Random): string {
  const word = Array.from({ length: 5 }, () => random.pick(syllables)).join('');
  return word[0]!.toUpperCase() + word.slice(1);
}

function sentence(random: Random, words: number): string {
  const pools = [nouns, fillers, verbs, fillers];
  const text = Array.from({ length: words }, (_, at) =>
    random.int(0, 9) === 0 ? name(random) : random.pick(pools[at % pools.length]!),
  );
  return `${text.join(' ')}.`;
}

/** Ways to ask, as in the benchmarks of each domain; those of one pattern differ in names and numbers alone. */
const patterns: readonly ((random: Random) => string)[] = [
  (r) => `Who ${r.pick(verbs)} the ${r.pick(nouns)} of ${name(r)}?`,
  (r) => `What is ${name(r)} ${name(r)}'s occupation?`,
  (r) => `Who is the author of ${name(r)} ${name(r)}?`,
  (r) => `when was the last ${r.pick(nouns)} of ${name(r).toLowerCase()} ${r.pick(verbs)}`,
  (r) =>
    `which ${r.pick(nouns)} in ${name(r).toLowerCase()} was ${r.pick(verbs)} by the ${name(r).toLowerCase()} family`,
  (r) =>
    `In what year was the founder of the company that ${r.pick(verbs)} the ${name(r)} ${r.pick(nouns)} born?`,
  (r) => `Which film has the director who was born earlier, ${name(r)} ${name(r)} or ${name(r)} ${name(r)}?`,
  (r) =>
    `The person who ${r.pick(verbs)} the ${r.pick(nouns)} at ${name(r)} later lived in a town on another river. What is the highest point of the region in which the ${r.pick(nouns)} of that town was ${r.pick(verbs)} by ${name(r)}?`,
  (r) => `What is $${r.int(2, 9999)} + ${r.int(2, 9999)} \\cdot ${r.int(2, 99)}$?`,
  (r) =>
    `Let $x$ and $y$ be positive integers such that $x^${r.int(2, 9)} - ${r.int(2, 999)}y = ${r.int(2, 9999)}$ and $xy = ${r.int(2, 9999)}$. Find the value of $\\frac{x + ${r.int(2, 99)}}{y}$.`,
  (r) =>
    `${name(r)} buys ${r.int(2, 999)} apples and ${r.int(2, 999)} pears, ${sentence(r, r.int(12, 40))} How many are left? The answer can be written as $\\frac{m}{n}$, where $m$ and $n$ are relatively prime positive integers. Find $m+n$. Return your final answer within \\boxed{}.`,
  (r) =>
    `You are given a sequence $A$ of $N$ integers. ${Array.from({ length: r.int(4, 12) }, () => sentence(r, 14)).join(' ')}\n\nInput\n\nThe input is given from Standard Input in the following format:\n$N$\n$A_1$ $A_2$ ... $A_N$\n\nOutput\n\nPrint the answer.\n\nConstraints\n\n- $1 \\leq N \\leq ${r.int(2, 9)}${'0'.repeat(r.int(2, 5))}$\n- All input values are integers.\n\nRead the inputs from stdin, solve the problem and write the answer to stdout.`,
];

/** The question of a number: the same for the same seed, of every domain in turn. */
export function generatedQuestion(seed: string, at: number): string {
  return patterns[at % patterns.length]!(createRandom(`${seed}/${at}`));
}

/** A question in which two neighbouring letters of a long word changed places; undefined where it has no such word. */
export function swapLetters(question: string, random: () => number): string | undefined {
  const words = [...question.matchAll(/(?<![\p{L}$\\])\p{Ll}{6,}/gu)];
  if (words.length === 0) return undefined;
  const word = words[Math.floor(random() * words.length)]!;
  const at = word.index + 1 + Math.floor(random() * (word[0].length - 3));
  return question.slice(0, at) + question[at + 1] + question[at] + question.slice(at + 2);
}
