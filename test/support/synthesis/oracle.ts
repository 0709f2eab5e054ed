import type { Form, Triple } from '../../../schemas/taskSynthesis.ts';
import type { WorldTriple } from './world.ts';

/**
 * Evaluates forms on what is true in a world, by trying everything. It shares no function with the product's checks: names
 * are compared letter by letter, since a world writes each thing in one way.
 */
export class Oracle {
  readonly #byRelation = new Map<string, WorldTriple[]>();
  readonly #byEnd = new Map<string, WorldTriple[]>();

  constructor(triples: readonly WorldTriple[]) {
    const add = (map: Map<string, WorldTriple[]>, key: string, triple: WorldTriple) =>
      map.set(key, [...(map.get(key) ?? []), triple]);
    for (const triple of triples) {
      add(this.#byRelation, triple.relation, triple);
      add(this.#byEnd, `${triple.relation} of ${triple.subject}`, triple);
      add(this.#byEnd, `${triple.relation} is ${triple.value}`, triple);
    }
  }

  /** Different answers of a form. */
  answers(form: Form): string[] {
    const asked = [...new Set(this.#rows(form).map(({ values }) => values[form.asked]!))];
    return form.ask === 'count' ? (asked.length > 0 ? [`${asked.length}`] : []) : asked.sort();
  }

  /** Fewest pages whose statements give the answer, by any part of the form, or by one fact that ties a name to it. */
  fewestPages(form: Form): number {
    const wanted = this.answers(form);
    const gives = (part: Form) => this.answers(part).join() === wanted.join();
    const sides = form.compare?.of.map((name) => asIfWon(form, name)) ?? [];
    const parts = [
      ...partsOf(form).filter(gives),
      ...(sides.every((side) => gives(side) || this.answers(side).length === 0) ? sides.filter(gives) : []),
    ];
    const pages = parts.map((part) => this.#pages(part));
    const hasTie = form.ask === 'value' && this.#tie(form, wanted[0]!);
    return Math.min(...pages, ...(hasTie ? [1] : []));
  }

  /** Whether without any one clue there are more answers, or others. */
  needsEachClue(form: Form): boolean {
    const wanted = this.#counted(form);
    const withoutTriple = form.triples
      .filter((one) => one[2] !== form.compare?.by)
      .map((one) => without(form, one));
    const withoutRange = Object.keys(form.ranges ?? {}).map((variable): Form => {
      const { [variable]: _, ...ranges } = form.ranges!;
      return { ...form, ranges };
    });
    const isNeeded = (smaller: Form | undefined) =>
      !smaller || this.#counted(smaller).join() !== wanted.join();
    const sides = form.compare?.of.map((name) => this.#counted(asIfWon(form, name)).join());
    const isCompared = !sides || sides.some((side) => side !== '' && side !== wanted.join());
    return isCompared && [...withoutTriple, ...withoutRange].every(isNeeded);
  }

  /** Whether each hidden thing is the only one that its description fits. */
  hasOneThingALink(form: Form): boolean {
    return hiddenLinks(form).every((link) => {
      const towards = form.triples.filter(
        (one) =>
          one.includes(link) &&
          !component(
            form.triples.filter((other) => other !== one),
            link,
          ).some((other) => other.includes(form.asked)),
      );
      const own = component(
        form.triples.filter((one) => !towards.includes(one)),
        link,
      );
      const described = restrictedTo({ ...form, ask: 'value', asked: link }, own);
      return described !== undefined && this.answers(described).length === 1;
    });
  }

  /** Whether all things on the way are different, and none is named. */
  isWithoutCycle(form: Form): boolean {
    const [row] = this.#rows(form);
    const things = [...hiddenLinks(form), ...(form.ask === 'value' ? [form.asked] : [])].map(
      (one) => row?.values[one],
    );
    const named = namesIn(form);
    return new Set(things).size === things.length && !things.some((thing) => named.includes(thing!));
  }

  /** The hidden things of a form and its answer. */
  hidden(form: Form): string[] {
    const [row] = this.#rows(form);
    const variables = [...hiddenLinks(form), ...(form.classes ?? []), ...Object.keys(form.ranges ?? {})];
    return [...variables.map((one) => row!.values[one]!), ...this.answers(form)];
  }

  #counted(form: Form): string[] {
    return [...new Set(this.#rows(form).map(({ values }) => values[form.asked]!))].sort();
  }

  #pages(form: Form): number {
    const rows = this.#rows(form);
    if (form.ask === 'count') return new Set(rows.flatMap(({ pages }) => pages)).size;
    return Math.min(...rows.map(({ pages }) => new Set(pages).size));
  }

  #tie(form: Form, answer: string): boolean {
    const named = namesIn(form);
    const own = new Set(this.#rows(form).flatMap(({ used }) => used));
    return [...this.#byRelation.values()].flat().some((one) => {
      const other = one.subject === answer ? one.value : one.value === answer ? one.subject : undefined;
      return other !== undefined && named.includes(other) && !own.has(one);
    });
  }

  /** All ways to make the triples true. */
  #rows(form: Form): Row[] {
    const start = form.compare ? this.#won(form) : { values: {}, pages: [], used: [] };
    if (!start) return [];
    let rows: Row[] = [start];
    const open = [...form.triples];
    while (open.length > 0 && rows.length > 0) {
      const known = rows[0]!.values;
      const isTied = ([s, , v]: Triple) =>
        !s.startsWith('?') || !v.startsWith('?') || s in known || v in known;
      const at = Math.max(0, open.findIndex(isTied));
      const [triple] = open.splice(at, 1);
      rows = rows.flatMap((row) => this.#extended(row, triple!, form));
    }
    return rows;
  }

  #extended(row: Row, [subject, relation, value]: Triple, form: Form): Row[] {
    const [from, to] = [subject, value].map((term) => (term.startsWith('?') ? row.values[term] : term));
    const end = from !== undefined ? `of ${from}` : to !== undefined ? `is ${to}` : undefined;
    const found = end ? this.#byEnd.get(`${relation} ${end}`) : this.#byRelation.get(relation);
    return (found ?? []).flatMap((one) => {
      const values = { ...row.values };
      for (const [term, said] of [[subject, one.subject] as const, [value, one.value] as const]) {
        if ((term.startsWith('?') ? (values[term] ?? said) : term) !== said) return [];
        if (term.startsWith('?')) values[term] = said;
        const range = form.ranges?.[term];
        const year = / \d{4}$/.test(said) ? Number(said.slice(-4)) : Number(said.replaceAll(',', ''));
        if (range && !(year >= range[0] && year <= range[1])) return [];
      }
      return [{ values, pages: [...row.pages, one.page], used: [...row.used, one] }];
    });
  }

  #won({ triples, compare }: Form): Row | undefined {
    const { variable, by, of, picks } = compare!;
    const relation = triples.find(([s, , v]) => s === variable && v === by)![1];
    const sides = of.map((name) =>
      (this.#byRelation.get(relation) ?? []).find(({ subject }) => subject === name),
    );
    const [a, b] = sides;
    if (!a || !b || sizeOf(a.value) === sizeOf(b.value)) return undefined;
    const winner = sizeOf(a.value) > sizeOf(b.value) === (picks === 'largest') ? a : b;
    return { values: { [variable]: winner.subject }, pages: [a.page, b.page], used: [a, b] };
  }
}

interface Row {
  readonly values: Readonly<Record<string, string>>;
  readonly pages: readonly string[];
  readonly used: readonly WorldTriple[];
}

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

function sizeOf(value: string): number {
  const date = /^(\d+) (\w+) (\d{4})$/.exec(value);
  if (!date) return Number(value.replaceAll(',', ''));
  return Number(date[3]) * 400 + months.indexOf(date[2]!) * 32 + Number(date[1]);
}

function namesIn({ triples, compare }: Form): string[] {
  return [
    ...triples.flatMap(([s, , v]) => [s, v]).filter((one) => !one.startsWith('?')),
    ...(compare?.of ?? []),
  ];
}

function hiddenLinks(form: Form): string[] {
  const variables = new Set(form.triples.flatMap(([s, , v]) => [s, v]).filter((one) => one.startsWith('?')));
  const others = [form.asked, form.compare?.variable, form.compare?.by, ...Object.keys(form.ranges ?? {})];
  return [...variables].filter((one) => !others.includes(one) && !(form.classes ?? []).includes(one));
}

/** The triples that hang together with a variable. */
function component(triples: readonly Triple[], variable: string): Triple[] {
  let found: Triple[] = triples.filter((one) => one.includes(variable));
  for (let before = -1; before < found.length; ) {
    before = found.length;
    const tied = new Set(found.flatMap(([s, , v]) => [s, v]).filter((one) => one.startsWith('?')));
    found = triples.filter(([s, , v]) => tied.has(s) || tied.has(v));
  }
  return found;
}

function without(form: Form, lost: Triple): Form | undefined {
  return restrictedTo(
    form,
    form.triples.filter((one) => one !== lost),
  );
}

function restrictedTo(form: Form, left: readonly Triple[]): Form | undefined {
  const triples = component(left, form.asked);
  if (triples.length === 0) return undefined;
  const has = (variable: string) => triples.some((one) => one.includes(variable));
  const isCompared = form.compare && has(form.compare.variable) && has(form.compare.by);
  const ranges = Object.fromEntries(Object.entries(form.ranges ?? {}).filter(([variable]) => has(variable)));
  return { triples, asked: form.asked, ask: form.ask, ranges, ...(isCompared && { compare: form.compare }) };
}

function asIfWon({ compare, ...form }: Form, name: string): Form {
  const put = (term: string) => (term === compare!.variable ? name : term);
  const left = form.triples.filter(([, , value]) => value !== compare!.by);
  return { ...form, triples: left.map(([s, r, v]): Triple => [put(s), r, put(v)]) };
}

/** The form and all of its parts that hang together with the asked variable and name something. */
function partsOf(form: Form): Form[] {
  const found = new Map<string, Form>();
  for (let chosen = 1; chosen < 2 ** form.triples.length; chosen++) {
    const left = form.triples.filter((_, at) => (chosen >> at) & 1);
    const part = restrictedTo(form, left);
    const isNamed = part && namesIn(part).length + Object.keys(part.ranges ?? {}).length > 0;
    if (isNamed && part.triples.length === left.length) found.set(JSON.stringify(part), part);
  }
  return [...found.values()];
}
