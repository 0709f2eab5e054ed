import fc from 'fast-check';
import { answerBody } from '../../schemas/coa/answers.ts';
import {
  gradesBody,
  reflectionCriteria,
  reflectionGrades,
  scoreBody,
  toolBody,
} from '../../schemas/coa/bodies.ts';
import { escapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { type Block, normaliseText, observationBody } from '../../schemas/coa/layout.ts';
import { actionOutcome, allowedAfter } from '../../schemas/coa/machine.ts';
import { type Profile, type TagRule, tagOfKind, tagRule } from '../../schemas/coa/profile.ts';
import { structuralTags } from '../../schemas/coa/profiles/builtin.ts';

/** What texts are put together from: tags, their look-alikes, and what has misled parsers; more than any fuzzer hits. */
const pieces = [
  'the river',
  ' ',
  '\n',
  '\n\n',
  '<',
  '>',
  '/',
  '</',
  '\\',
  '|',
  'a < b && b > c',
  '<b>bold</b>',
  '<Think>',
  '<think',
  '</observation>',
  '<answer>42</answer>',
  '<look_up>',
  '<|im_end|>',
  '<tool_call>',
  'observation>',
  '[INST]',
  '```py\nprint("<x>")\n```',
  '```sh\n',
  '{"a": 1}',
  'é',
  '日本語',
  '\u0338',
  '👩‍👩‍👧‍👦',
  '\u00a0',
  '\ufeff',
  'The score this time is:2',
] as const;

/** Deterministic choices from a list of numbers, which start over when they are used up. */
export class Choices {
  readonly #numbers: readonly number[];
  #at = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** A number from 0 up to, and not with, `below`. */
  below(below: number): number {
    const number = this.#numbers[this.#at % this.#numbers.length] ?? 0;
    const turn = Math.floor(this.#at / this.#numbers.length);
    this.#at += 1;
    return (number + turn * 7) % below;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

/** What a text is made of, by choice, where these tags are structure. */
type TextOf = (choices: Choices, tags: readonly string[]) => string;

/** Harmless text of a few pieces; never blank. */
const ofPieces: TextOf = (choices, tags) => {
  const parts = Array.from({ length: 1 + choices.below(4) }, () => choices.of(pieces));
  return escapeStructure(normaliseText(`w${parts.join('')}`), tags).text;
};

/**
 * The blocks of a trajectory that keeps the profile's grammar: `wander` free actions, then the shortest way to the
 * end. Takes time that grows with its length alone.
 */
export function walkBlocks(
  profile: Profile,
  choices: Choices,
  wander: number,
  textOf: TextOf = ofPieces,
): Block[] {
  const blocks: Block[] = [];
  const used = new Set<string>();
  const tags = [...structuralTags, ...profile.tags.map((rule) => rule.tag)];
  const text = () => textOf(choices, tags);
  const think = tagOfKind(profile, 'thinking');
  const answer = tagOfKind(profile, 'answer')!;
  const distance = distancesToEnd(profile, answer);
  for (let allowed: readonly string[] = profile.first, step = 0; allowed.length > 0; step++) {
    const rests = step >= wander;
    const free = rests ? allowed : allowed.filter((tag) => tag !== answer || allowed.length === 1);
    const tag = rests ? nearest(allowed, distance) : choices.of(free.length > 0 ? free : allowed);
    const rule = tagRule(profile, tag)!;
    const optional = profile.think_optional_before.includes(tag) && choices.below(2) === 1;
    if (think !== undefined && (optional || profile.think_before.includes(tag)))
      blocks.push({ tag: think, origin: 'model', body: text() });
    const block: Block = {
      tag,
      origin: 'model',
      body: bodyOf(profile, rule, { choices, text: text(), well: rests }),
    };
    blocks.push(block);
    if (rule.kind === 'tool')
      blocks.push({
        tag: 'observation',
        origin: 'environment',
        body: observationBody(text()),
      });
    used.add(tag);
    allowed = allowedAfter(profile, tag, actionOutcome(profile, block), used);
  }
  return blocks;
}

function bodyOf(
  profile: Profile,
  rule: TagRule,
  { choices, text, well }: { readonly choices: Choices; readonly text: string; readonly well: boolean },
): string {
  if (rule.kind === 'answer') return answerBody(profile.domain, text.replaceAll('```', "'''"));
  switch (rule.body) {
    case 'urls':
      return toolBody('urls', {
        urls: ['https://a.example/x?y=z&w', 'http://b.example'].slice(choices.below(2)),
      });
    case 'code':
      return toolBody('code', {
        code: text.replaceAll('```', "'''"),
        ...(choices.below(2) && { stdin: '3\n1' }),
      });
    case 'json':
      return toolBody('json', { file_path: 'a.png', question: text });
    case 'grades': {
      const grades = reflectionCriteria.map((name) => [name, well ? 'Good' : choices.of(reflectionGrades)]);
      return gradesBody(Object.fromEntries(grades));
    }
    case 'score':
      return scoreBody(well ? 4 : 1 + choices.below(4));
    case 'text':
      return text;
  }
}

function nearest(allowed: readonly string[], distance: ReadonlyMap<string, number>): string {
  const far = Number.POSITIVE_INFINITY;
  return allowed.reduce((best, tag) =>
    (distance.get(tag) ?? far) < (distance.get(best) ?? far) ? tag : best,
  );
}

function distancesToEnd(profile: Profile, answer: string): ReadonlyMap<string, number> {
  const distance = new Map([[answer, 0]]);
  // A map's iterator also visits what is added while it runs.
  for (const [to, steps] of distance) {
    for (const [from, allowed] of Object.entries(profile.follows)) {
      if (allowed.includes(to) && !distance.has(from)) distance.set(from, steps + 1);
    }
  }
  return distance;
}

/** Blocks of a valid trajectory of the profile, quickly made of a few pieces, or of any of these texts. */
export function walkArbitrary(profile: Profile, texts?: fc.Arbitrary<string>): fc.Arbitrary<Block[]> {
  const numbers = fc.array(fc.nat({ max: 999 }), { minLength: 1, maxLength: 24 });
  const pool = texts ? fc.array(texts, { minLength: 1, maxLength: 12 }) : fc.constant(undefined);
  return fc.tuple(numbers, pool).map(([chosen, drawn]) => {
    const textOf = drawn && ((choices: Choices) => choices.of(drawn));
    return walkBlocks(profile, new Choices(chosen), chosen[0]! % 6, textOf);
  });
}
