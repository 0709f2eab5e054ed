/** Copy of an object without undefined members, for merging. */
export function withoutAbsent<Value extends object>(value: Value) {
  const there = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(there) as { [Key in keyof Value]: Exclude<Value[Key], undefined> };
}
