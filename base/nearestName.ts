import { closest, distance } from 'fastest-levenshtein';

/** Minimum prefix that identifies a known name: `temp` of `temperature`. */
const MIN_BEGINNING = 4;
/** Maximum differing letters, regardless of length. */
const MAX_EDITS = 3;

/** The known name nearest to a misspelt one, or undefined if none is close. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const written = plain(name);
  const same = sameName(name, known);
  if (same !== undefined || known.length === 0) return same;
  const begun = known.filter((one) => written.length >= MIN_BEGINNING && plain(one).startsWith(written));
  if (begun.length === 1) return begun[0];
  const nearest = closest(written, known.map(plain));
  // In a short name fewer than all letters may differ: anything is close to "x".
  const mostEdits = Math.min(Math.max(1, Math.floor(written.length / 3)), written.length - 1, MAX_EDITS);
  const isNear = distance(written, nearest) <= mostEdits || isSwapped(written, nearest);
  return isNear ? known.find((one) => plain(one) === nearest) : undefined;
}

/** The known name that differs only in case, dashes and underscores. */
export function sameName<Name extends string>(name: string, known: readonly Name[]): Name | undefined {
  return known.find((one) => plain(one) === plain(name));
}

/** Ignores case, dashes and underscores. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}

/** True for two swapped letters: `wbe` for `web`. */
function isSwapped(written: string, known: string): boolean {
  const at = [...written].findIndex((letter, index) => letter !== known[index]);
  if (at < 0 || written.length !== known.length) return false;
  const swapped = written.slice(0, at) + written[at + 1] + written[at] + written.slice(at + 2);
  return swapped === known;
}

/** `did you mean "x"?`, or the whole list without a close name. */
export function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  return `known: ${known.join(', ') || 'none'}`;
}

/** All allowed names, after the one closest to a misspelt name. */
export function allowedNames(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const meant = nearest === undefined ? '' : `did you mean "${nearest}"? `;
  return `${meant}known: ${known.join(', ') || 'none'}`;
}
