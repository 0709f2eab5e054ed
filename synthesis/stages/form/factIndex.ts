import { foldedText } from '../../../schemas/normalForm.ts';
import type { Fact } from '../../../schemas/taskSynthesis.ts';
import { parseCalendarDate } from '../../../schemas/words/calendarDate.ts';
import { foldWords } from '../../../schemas/words/foldWords.ts';
import { parsePlainNumber } from '../../../schemas/words/plainNumber.ts';

/** Numeric meaning of a value; amounts with the same unit are comparable. */
interface Amount {
  readonly value: number;
  /** `date`, or a currency sign or `%`; empty for bare numbers, including years. */
  readonly unit: string;
  /** The number, or the date's year; compared with ranges. */
  readonly rough: number;
}

/** Cache of keys, since growing looks up the same names repeatedly. */
const known = new Map<string, string>();
const MAX_KNOWN = 50_000;

/**
 * Key that is equal for all spellings of a value: normalised numbers and dates; names without case, accents,
 * punctuation and article.
 */
export function termKey(text: string): string {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= MAX_KNOWN) known.clear();
  const key = newKey(text);
  known.set(text, key);
  return key;
}

function newKey(text: string): string {
  const number = parsePlainNumber(text);
  if (number) return `number ${number.decimal} ${number.unit}`;
  const date = parseCalendarDate(text);
  if (date) return `date ${date.year ?? ''}/${date.month ?? ''}/${date.day ?? ''}`;
  const words = foldWords(text);
  const bare = words[0] === 'the' && words.length > 1 ? words.slice(1) : words;
  // `C++` and `C#` differ from `C`.
  const signs = /[+#]+\s*$/.exec(text)?.[0].trim() ?? '';
  return `words ${bare.join(' ') || foldedText(text)}${signs}`;
}

/** Amount of a key; undefined for names, and for dates without a year. */
export function amountOf(key: string): Amount | undefined {
  const [kind, text = '', unit = ''] = key.split(' ');
  if (kind === 'number') return { value: Number(text), unit, rough: Number(text) };
  if (kind !== 'date') return undefined;
  const [year, month, day] = text.split('/').map((part) => (part === '' ? undefined : Number(part)));
  if (year === undefined) return undefined;
  return { value: year * 10_000 + (month ?? 0) * 100 + (day ?? 0), unit: 'date', rough: year };
}

/** Normalises case and white space of relations; `date of birth` equals `birth date`. */
export function relationKey(relation: string): string {
  return foldedText(relation).replace(/^(.+?) of (?:the )?(.+)$/, '$2 $1');
}

export interface Statement {
  readonly subject: string;
  readonly relation: string;
  readonly value: string;
  /** One per document, by address. */
  readonly facts: readonly Fact[];
}

/** Facts of a corpus with lookup, independent of the order of insertion. */
export interface FactIndex {
  /** Number of distinct statements. */
  readonly size: number;
  readonly relations: readonly string[];
  /** Statements of a relation, optionally of one subject or value. */
  matching(subject: string | undefined, relation: string, value: string | undefined): readonly Statement[];
  /** Statements with a thing as subject or value. */
  about(key: string): readonly Statement[];
  /** True if a subject may have several values: a fact of the relation says so, or one document states several. */
  isManyValued(relation: string): boolean;
}

const none: readonly Statement[] = [];

export function createFactIndex(facts: Iterable<Fact>): FactIndex {
  const manyValued = new Set<string>();
  const statements = statementsOf(facts, manyValued);
  const tables = { all: new Table(), subject: new Table(), value: new Table(), about: new Table() };
  for (const statement of statements) {
    const { subject, relation, value } = statement;
    tables.all.add(relation, statement);
    tables.subject.add(`${relation}\n${subject}`, statement);
    tables.value.add(`${relation}\n${value}`, statement);
    for (const key of new Set([subject, value])) tables.about.add(key, statement);
  }
  return {
    size: statements.length,
    relations: [...tables.all.keys()].sort(),
    matching: (subject, relation, value) => {
      if (subject === undefined && value === undefined) return tables.all.get(relation) ?? none;
      if (subject === undefined) return tables.value.get(`${relation}\n${value}`) ?? none;
      const found = tables.subject.get(`${relation}\n${subject}`) ?? none;
      return value === undefined ? found : found.filter((one) => one.value === value);
    },
    about: (key) => tables.about.get(key) ?? none,
    isManyValued: (relation) => manyValued.has(relation),
  };
}

class Table extends Map<string, Statement[]> {
  add(key: string, statement: Statement): void {
    const held = this.get(key);
    if (held) held.push(statement);
    else this.set(key, [statement]);
  }
}

function statementsOf(facts: Iterable<Fact>, manyValued: Set<string>): Statement[] {
  const byKey = new Map<string, { subject: string; relation: string; value: string; facts: Fact[] }>();
  for (const fact of facts) {
    const [subject, relation, value] = [
      termKey(fact.subject),
      relationKey(fact.relation),
      termKey(fact.value),
    ];
    if (fact.many_valued) manyValued.add(relation);
    const key = `${relation}\n${subject}\n${value}`;
    const held = byKey.get(key);
    if (held) held.facts.push(fact);
    else byKey.set(key, { subject, relation, value, facts: [fact] });
  }
  const stated = new Set<string>();
  for (const { subject, relation, facts } of byKey.values()) {
    for (const document of new Set(facts.map((fact) => fact.document))) {
      const place = `${relation}\n${subject}\n${document}`;
      if (stated.has(place)) manyValued.add(relation);
      stated.add(place);
    }
  }
  const sorted = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, statement]) => ({ ...statement, facts: oneADocument(statement.facts) }));
}

function oneADocument(facts: readonly Fact[]): Fact[] {
  const first = new Map<string, Fact>();
  for (const fact of [...facts].sort(byPlace)) {
    if (!first.has(fact.document)) first.set(fact.document, fact);
  }
  return [...first.values()];
}

function byPlace(a: Fact, b: Fact): number {
  if (a.document !== b.document) return a.document < b.document ? -1 : 1;
  return a.span[0] - b.span[0] || a.span[1] - b.span[1];
}
