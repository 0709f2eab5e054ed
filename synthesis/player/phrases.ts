import { type Form, isVariable, type Triple } from '../../schemas/taskSynthesis.ts';
import { bareHead, literalQuestion } from '../models/literalQuestion.ts';

/** Words a form in the scripted model's English. {@link readQuestion} is the inverse. */
export function writeQuestion(form: Form): string {
  return literalQuestion(form, classWord);
}

/** Parses a question of {@link writeQuestion}; undefined for other text. */
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

/** Matches a name up to a clause, or to a bracket that it did not open. */
const namePattern = /^(?:\([^()]*\)|(?! (?:and )?(?:whose|that is also) )[^()])+/;

/** Parses descriptions from the left; a clause belongs to the innermost thing that can have it. */
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
    const chosen = this.#take(/^either (.+?) or (.+?), whichever has the (larger|later|smaller|earlier) /);
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

/**
 * Relations by kind of thing: the scripted model's world knowledge. Founders are omitted, since many kinds have them.
 */
const relationsOf: Readonly<Record<string, readonly string[]>> = {
  book: ['author', 'publisher', 'genre', 'setting', 'publication year'],
  ship: ['builder', 'length', 'home port', 'first captain', 'launch year'],
  island: ['capital', 'navigator', 'first chart', 'area', 'waters', 'highest point'],
  person: ['birthplace', 'birth date', 'death year', 'occupation', 'teacher'],
  company: ['industry', 'head office', 'employees'],
  festival: ['month', 'first year', 'place'],
  lighthouse: ['architect', 'first light'],
  school: ['specialty', 'opening year', 'town'],
  town: ['craft', 'island'],
};

/** Word for a thing with some relations; `thing` if none is specific. */
function classWord(relations: readonly string[]): string {
  const classes = Object.entries(relationsOf);
  const told = relations.flatMap((relation) => classes.find(([, own]) => own.includes(relation))?.[0] ?? []);
  return told[0] ?? 'thing';
}
