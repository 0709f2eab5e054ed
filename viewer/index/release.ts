/**
 * Gives the memory of numbers back at once, which are of no use afterwards. V8 sees little of it, so it would wait while the
 * next ones take as much again.
 */
export function release({ buffer }: { readonly buffer: ArrayBufferLike }): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
