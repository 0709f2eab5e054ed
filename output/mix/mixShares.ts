import type { MixedFile } from '../../schemas/config/mix.ts';

/** Requested share or rows of a file, and its number of rows; undefined if it has enough. */
export type Asked = Pick<MixedFile, 'share' | 'rows'> & { readonly available?: number | undefined };

/**
 * Number of rows to take from each file, such that each share holds in the finished dataset. A file with too few rows
 * gives all of them, and the other shares are computed without it.
 *
 * @param own - Number of other rows in the dataset.
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

/** The shares leave a fraction for the remaining rows, which determines the dataset's size. */
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
