import { closest, distance } from 'fastest-levenshtein';

/** Letters that begin a known name, for it to be recognised by its beginning: `temp` of `temperature`. */
const MIN_BEGINNING = 4;
/** Most letters that differ, however long a name is. */
const MAX_EDITS = 3;

/** The known name that a misspelt one is nearest to, or undefined when none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const written = plain(name);
  const same = sameName(name, known);
  if (same !== undefined || known.length === 0) return same;
  const begun = known.filter((one) => written.length >= MIN_BEGINNING && plain(one).startsWith(written));
  if (begun.length === 1) return begun[0];
  const nearest = closest(written, known.map(plain));
  // Of a short name less than all letters: anything is near to "x".
  const mostEdits = Math.min(Math.max(1, Math.floor(written.length / 3)), written.length - 1, MAX_EDITS);
  const isNear = distance(written, nearest) <= mostEdits || isSwapped(written, nearest);
  return isNear ? known.find((one) => plain(one) === nearest) : undefined;
}

/** The known name that differs in capitals, dashes and underscores at most. */
export function sameName<Name extends string>(name: string, known: readonly Name[]): Name | undefined {
  return known.find((one) => plain(one) === plain(name));
}

/** Capitals, dashes and underscores are mistaken for each other. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}

/** Two letters that changed places: `wbe` for `web`. */
function isSwapped(written: string, known: string): boolean {
  const at = [...written].findIndex((letter, index) => letter !== known[index]);
  if (at < 0 || written.length !== known.length) return false;
  const swapped = written.slice(0, at) + written[at + 1] + written[at] + written.slice(at + 2);
  return swapped === known;
}

/** `did you mean "x"?`, or the whole list when nothing is near. */
export function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  return `known: ${known.join(', ') || 'none'}`;
}

/** Every name that is allowed, behind the one that a misspelt one is near to. */
export function allowedNames(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const meant = nearest === undefined ? '' : `did you mean "${nearest}"? `;
  return `${meant}known: ${known.join(', ') || 'none'}`;
}
