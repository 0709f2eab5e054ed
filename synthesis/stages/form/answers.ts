import type { Reading } from './reading.ts';
import { type LooseForm, solutionsOf } from './solutions.ts';
import { termKey } from './termKey.ts';

/** Different values of the asked variable, as keys: at most `most` of them. */
export function askedValues(
  form: LooseForm,
  reading: Reading,
  most = Number.POSITIVE_INFINITY,
  given?: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { values } of solutionsOf(form, reading, given)) {
    found.add(values.get(form.asked)!);
    if (found.size >= most) break;
  }
  return found;
}

/** Keys of the answers of a form: none, the one, or the first two of several. A count has at most one. */
export function answersOf(form: LooseForm, reading: Reading, given?: ReadonlyMap<string, string>): string[] {
  if (form.ask === 'value') return [...askedValues(form, reading, 2, given)];
  const { size } = askedValues(form, reading, undefined, given);
  return size === 0 ? [] : [termKey(`${size}`)];
}
