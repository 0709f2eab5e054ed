/** Finalizer of MurmurHash3: every bit of the result depends on every bit of the input; bijective on 32 bits. */
export function mix32(value: number): number {
  let mixed = value ^ (value >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** A hash of a text as an unsigned 32-bit number: FNV-1a over its UTF-16 code units, mixed. */
export function hash32(text: string, start = 0x811c9dc5): number {
  let hash = start;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mix32(hash) >>> 0;
}
