/** All ids in one array, in order. */
export function concatenateIds(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The first place at which two lists of ids differ; undefined when they are equal. */
export function firstDifference(a: Uint32Array, b: Uint32Array): number | undefined {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) if (a[at] !== b[at]) return at;
  return a.length === b.length ? undefined : shorter;
}
