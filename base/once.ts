/** Memoises a function without arguments. */
export function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

/** Memoises a function per object, as long as the object lives. */
export function oncePer<Of extends object, T>(make: (of: Of) => T): (of: Of) => T {
  const known = new WeakMap<Of, { readonly it: T }>();
  return (of) => {
    const made = known.get(of) ?? { it: make(of) };
    known.set(of, made);
    return made.it;
  };
}
