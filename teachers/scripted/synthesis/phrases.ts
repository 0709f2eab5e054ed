import { type Form, isVariable, type Triple } from '../../../schemas/synthesis/form.ts';
import { classWord, comparative, pluralOf } from './classWords.ts';

/**
 * The words that the scripted model has for a form. {@link readQuestion} is their inverse:
 * `What is the capital of the island whose navigator is Edda Vanterpool?`
 */
export function writeQuestion(form: Form): string {
  const what = thing(form, form.asked, undefined);
  if (form.ask !== 'count') return `What is ${what}?`;
  const counted = bareHead.exec(what);
  return counted
    ? `How many ${pluralOf(counted[1]!)} are there${what.slice(counted[0].length)}?`
    : `How many different answers are there to: ${what}?`;
}

/** A thing of which only clauses tell: `the ship whose length is 40`. */
const bareHead = /^the ([a-z]+)(?= whose | that is also )/;

/** A thing as the form describes it, seen from the triple that leads to it. */
function thing(form: Form, term: string, from: Triple | undefined): string {
  if (!isVariable(term)) return term;
  const around = form.triples.filter((triple) => triple !== from && triple.includes(term));
  const { compare } = form;
  const by = compare?.variable === term ? around.find(([, , value]) => value === compare.by) : undefined;
  const inbound = around.filter(([, , value]) => value === term);
  const outbound = around.filter((triple) => triple[0] === term && triple !== by);
  const first = by ? undefined : inbound[0];
  const more = by ? inbound : inbound.slice(1);
  const tails = [
    ...more.map((triple) => ({ words: `that is also the ${triple[1]} of`, triple, end: triple[0] })),
    ...outbound.map((triple) => ({ words: `whose ${triple[1]} is`, triple, end: triple[2] })),
  ];
  const isLast = (at: number) => at === tails.length - 1;
  const said = (end: string, triple: Triple, last: boolean) => {
    const range = form.ranges?.[end];
    if (range) return `between ${range[0]} and ${range[1]}`;
    const words = thing(form, end, triple);
    // What follows would belong to the thing that was named last.
    return last || !isDescription(words) ? words : `(${words})`;
  };
  const head =
    by && compare
      ? `whichever of ${compare.of[0]} or ${compare.of[1]} has the ${comparative(by[1], compare.picks)} ${by[1]}`
      : first
        ? `the ${first[1]} of ${said(first[0], first, tails.length === 0)}`
        : `the ${classWord(outbound.map(([, relation]) => relation))}`;
  const clauses = tails.map(({ words, triple, end }, at) => `${words} ${said(end, triple, isLast(at))}`);
  return [head, clauses.join(' and ')].filter((part) => part !== '').join(' ');
}

const isDescription = (words: string) => /^(?:the [^A-Z]|whichever of )/.test(words);

/** What a question of {@link writeQuestion} says; undefined for other words. */
export function readQuestion(question: string): Form | undefined {
  const words = question
    .trim()
    .replace(/^How many [a-z]+ are there(?= whose | that is also )/, 'How many are the thing');
  const asked = /^(?:What is|(How many) (?:are|different answers are there to:)) ([^?]*)\?/.exec(words);
  if (!asked) return undefined;
  const reader = new PhraseReader(asked[2]!);
  const value = reader.thing();
  const { triples, ranges, compare } = reader;
  if (!reader.isAtEnd || !isVariable(value) || triples.length === 0) return undefined;
  return {
    ...{ triples, asked: value, ask: asked[1] ? 'count' : 'value' },
    ...(Object.keys(ranges).length > 0 && { ranges }),
    ...(compare && { compare }),
  };
}

/** A name: up to a clause, or to a bracket that it did not open. */
const namePattern = /^(?:\([^()]*\)|(?! (?:and )?(?:whose|that is also) )[^()])+/;

/** Reads descriptions from the left; a clause belongs to the innermost thing that can have it. */
class PhraseReader {
  readonly triples: Triple[] = [];
  readonly ranges: Record<string, [number, number]> = {};
  compare: Form['compare'];
  #rest: string;
  #variables = 0;

  constructor(words: string) {
    this.#rest = words;
  }

  get isAtEnd(): boolean {
    return this.#rest === '';
  }

  thing(): string {
    if (this.#take(/^\(/)) {
      const inner = this.thing();
      this.#take(/^\)/);
      return inner;
    }
    const term = this.#head();
    if (isVariable(term)) this.#clauses(term);
    return term;
  }

  #head(): string {
    const chosen = this.#take(/^whichever of (.+?) or (.+?) has the (larger|later|smaller|earlier) /);
    if (chosen)
      return this.#comparison(chosen[1]!, chosen[2]!, /^la/.test(chosen[3]!) ? 'largest' : 'smallest');
    if (this.#take(bareHead)) return this.#variable();
    const relation = this.#take(/^the ([^A-Z][^()]*?) of /)?.[1];
    if (relation === undefined) return this.#name();
    const term = this.#variable();
    this.#add(this.thing(), relation, term);
    return term;
  }

  #comparison(one: string, other: string, picks: 'largest' | 'smallest'): string {
    const [variable, by] = [this.#variable(), this.#variable()];
    this.compare = { variable, of: [one, other], by, picks };
    this.#add(variable, this.#name(), by);
    return variable;
  }

  #clauses(term: string): void {
    for (;;) {
      const clause = this.#take(/^ (?:and )?(?:whose (.+?) is |that is also the (.+?) of )/);
      if (!clause) return;
      const [, outbound, inbound] = clause;
      if (outbound !== undefined) this.#add(term, outbound, this.#end());
      else this.#add(this.thing(), inbound!, term);
    }
  }

  #end(): string {
    const range = this.#take(/^between (-?[\d.]+) and (-?[\d.]+)/);
    if (!range) return this.thing();
    const variable = this.#variable();
    this.ranges[variable] = [Number(range[1]), Number(range[2])];
    return variable;
  }

  #name(): string {
    return this.#take(namePattern)?.[0] ?? '';
  }

  #variable(): string {
    return `?v${this.#variables++}`;
  }

  #add(...triple: Triple): void {
    this.triples.push(triple);
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(this.#rest);
    if (found) this.#rest = this.#rest.slice(found[0].length);
    return found;
  }
}
