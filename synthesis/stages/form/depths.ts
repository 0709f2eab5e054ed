import { type Form, isVariable, type Triple } from '../../../schemas/taskSynthesis.ts';

type Asking = Pick<Form, 'triples' | 'asked'>;

/** For each variable of a form the triples between it and the asked one. */
export function depthsOf({ triples, asked }: Asking): ReadonlyMap<string, number> {
  const depth = new Map([[asked, 0]]);
  for (const variable of depth.keys()) {
    for (const [subject, , value] of triples) {
      const other = subject === variable ? value : value === variable ? subject : undefined;
      if (other === undefined || !isVariable(other) || depth.has(other)) continue;
      depth.set(other, depth.get(variable)! + 1);
    }
  }
  return depth;
}

/** For each triple how far its farther end is from the asked variable; a name is farther than the variable beside it. */
export function tripleDepths(form: Asking): number[] {
  const depth = depthsOf(form);
  return form.triples.map(([subject, , value]) => {
    const [a, b] = [subject, value].map((term) => depth.get(term));
    return a === undefined || b === undefined ? (a ?? b ?? 0) + 1 : Math.max(a, b);
  });
}

/** Triples that are tied to some variables, by way of others too. */
export function tiedTo(triples: readonly Triple[], start: Iterable<string>): Triple[] {
  const reached = new Set(start);
  for (const variable of reached) {
    for (const triple of triples) {
      if (triple[0] !== variable && triple[2] !== variable) continue;
      for (const term of [triple[0], triple[2]]) if (isVariable(term)) reached.add(term);
    }
  }
  return triples.filter(([subject, , value]) => reached.has(subject) || reached.has(value));
}
