import { closest, distance } from 'fastest-levenshtein';

/** The known name that a misspelt one is nearest to, or undefined when none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const nearest = closest(name, known);
  // Of a short name less than all letters: anything is near to "x".
  const mostEdits = Math.min(Math.max(2, Math.floor(name.length / 3)), name.length - 1);
  return distance(name, nearest) <= mostEdits ? nearest : undefined;
}

/** `; did you mean "x"?`, or the whole list when nothing is near. */
export function suggestion(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `did you mean "${nearest}"?`;
  return `known: ${known.join(', ') || 'none'}`;
}
