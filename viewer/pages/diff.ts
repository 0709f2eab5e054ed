export interface DiffPiece {
  readonly kind: 'same' | 'removed' | 'added';
  readonly parts: readonly string[];
}

/** Maximum compared pairs; beyond, all parts are removed and added. */
const MAX_PAIRS = 4_000_000;

/** Longest-common-subsequence diff of two lists. */
export function diff(from: readonly string[], to: readonly string[]): DiffPiece[] {
  let start = 0;
  while (start < Math.min(from.length, to.length) && from[start] === to[start]) start++;
  let end = 0;
  const rest = Math.min(from.length, to.length) - start;
  while (end < rest && from.at(-1 - end) === to.at(-1 - end)) end++;
  const [a, b] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  return joined([
    { kind: 'same', parts: from.slice(0, start) },
    ...middle(a, b),
    { kind: 'same', parts: from.slice(from.length - end) },
  ]);
}

function middle(a: readonly string[], b: readonly string[]): DiffPiece[] {
  if (a.length * b.length > MAX_PAIRS)
    return [
      { kind: 'removed', parts: a },
      { kind: 'added', parts: b },
    ];
  const common = commonLengths(a, b);
  const width = b.length + 1;
  const pieces: DiffPiece[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      pieces.push({ kind: 'same', parts: [a[i++]!] });
      j++;
    } else if (j === b.length || (i < a.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!))
      pieces.push({ kind: 'removed', parts: [a[i++]!] });
    else pieces.push({ kind: 'added', parts: [b[j++]!] });
  }
  return pieces;
}

function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] =
        a[i] === b[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
  return common;
}

function joined(pieces: readonly DiffPiece[]): DiffPiece[] {
  const all: { kind: DiffPiece['kind']; parts: string[] }[] = [];
  for (const { kind, parts } of pieces) {
    if (parts.length === 0) continue;
    const last = all.at(-1);
    if (last?.kind === kind) last.parts.push(...parts);
    else all.push({ kind, parts: [...parts] });
  }
  return all;
}
