/** How far into a page its `<meta charset>` must stand (HTML standard). */
const META_BYTES = 1024;

/** The text of a page in the encoding that its header, its byte order mark or its `<meta>` names; else UTF-8. */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const head = Buffer.from(bytes.subarray(0, META_BYTES)).toString('latin1');
  const label =
    /charset\s*=\s*["']?([\w-]+)/i.exec(contentType) ?? /<meta[^>]*charset\s*=\s*["']?([\w-]+)/i.exec(head);
  return decoderFor(hasUtf8Mark(bytes) ? 'utf-8' : (label?.[1] ?? 'utf-8')).decode(bytes);
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder('utf-8');
  }
}

function hasUtf8Mark([first, second, third]: Uint8Array): boolean {
  return first === 0xef && second === 0xbb && third === 0xbf;
}
