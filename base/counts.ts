/** Occurrences per value. */
export class Counts<Value = string> extends Map<Value, number> {
  /** Counts the given values. */
  static of<Value>(values: Iterable<Value>): Counts<Value> {
    const counts = new Counts<Value>();
    for (const value of values) counts.add(value);
    return counts;
  }

  add(value: Value, times = 1): void {
    this.set(value, (this.get(value) ?? 0) + times);
  }
}

/** Record with sorted keys, independent of insertion order. */
export function byName<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
