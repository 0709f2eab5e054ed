import { hashedShare } from '../../schemas/hashedShare.ts';

/** Relations that a reader of questions may choose from: more make its prompt long, and a good reading no less likely. */
export const MAX_RELATIONS = 24;

/**
 * The relations that are offered for reading a question back: the first of the needed ones, each once, then others of the
 * corpus from a place that is drawn by seed. Sorted, so that nothing tells which are the needed ones.
 *
 * @param all - The relations of the corpus, sorted: next to each other stand those that are alike
 */
export function offeredRelations(
  needed: readonly string[],
  all: readonly string[],
  draw: [number, string],
): string[] {
  const start = Math.floor(hashedShare('relations', ...draw) * all.length);
  const others = [...all.slice(start, start + MAX_RELATIONS), ...all.slice(0, MAX_RELATIONS)];
  return [...new Set([...needed, ...others])].slice(0, MAX_RELATIONS).sort();
}
