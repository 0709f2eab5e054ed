/** Reads at most `maxBytes` of a body; `cut` tells whether more follows. */
export async function readUpTo(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let room = maxBytes;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, room));
    if (chunk.length > room) return { bytes: Buffer.concat(chunks), cut: true };
    room -= chunk.length;
  }
  return { bytes: Buffer.concat(chunks), cut: false };
}
