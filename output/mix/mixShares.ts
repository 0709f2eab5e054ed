import type { MixedFile } from '../../schemas/config/mix.ts';

/** What is asked of a file, and how many rows it has; undefined where it has enough. */
export type Asked = Pick<MixedFile, 'share' | 'rows'> & { readonly available?: number | undefined };

/**
 * Rows to take of each file, so that each share holds in the finished dataset. A file that has too few gives all of
 * them, and the shares of the others hold without it.
 *
 * @param own - Rows that the dataset has besides.
 */
export function rowsOfShares(asked: readonly Asked[], own: number): number[] {
  const short = new Set<Asked>();
  for (;;) {
    const wanted = wantedRows(asked, own, short);
    const found = asked.filter((file, at) => !short.has(file) && wanted[at]! > (file.available ?? Infinity));
    if (found.length === 0) return wanted;
    for (const file of found) short.add(file);
  }
}

/** The size of the dataset is what its shares leave for the rest of it. */
function wantedRows(asked: readonly Asked[], own: number, short: ReadonlySet<Asked>): number[] {
  const fixedOf = (file: Asked) => {
    if (short.has(file)) return file.available!;
    return file.share === undefined ? (file.rows ?? file.available ?? 0) : undefined;
  };
  let rest = own;
  let shares = 0;
  for (const file of asked) {
    const fixed = fixedOf(file);
    if (fixed === undefined) shares += file.share!;
    else rest += fixed;
  }
  const total = rest / (1 - shares);
  return asked.map((file) => fixedOf(file) ?? Math.round(file.share! * total));
}
