/** A function that makes or opens something when it is first called, and gives the same whenever it is called again. */
export function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

/** A function that makes something of an object once, and gives the same for the same object, as long as that is kept. */
export function oncePer<Of extends object, T>(make: (of: Of) => T): (of: Of) => T {
  const known = new WeakMap<Of, { readonly it: T }>();
  return (of) => {
    const made = known.get(of) ?? { it: make(of) };
    known.set(of, made);
    return made.it;
  };
}
