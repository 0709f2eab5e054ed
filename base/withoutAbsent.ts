/** An object without the members that are undefined, so that it can be laid over another. */
export function withoutAbsent<Value extends object>(value: Value) {
  const there = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(there) as { [Key in keyof Value]: Exclude<Value[Key], undefined> };
}
