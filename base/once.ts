/** A function that makes or opens something when it is first called, and gives the same whenever it is called again. */
export function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}
