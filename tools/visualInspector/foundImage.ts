/** The bytes of an image, or why the agent can't see it. */
export type FoundBytes =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: string };

/** Not to be had, for a reason that is the agent's to know. */
export function notFound(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

/** Why a file of too many bytes is not shown. */
export function tooManyBytes(maxBytes: number): { readonly ok: false; readonly reason: string } {
  return notFound(`it is larger than ${maxBytes} bytes`);
}
