import { randomUUID } from 'node:crypto';

/** What goes into logs and headers as it is. */
const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The client's own id for a request where it is short and plain; otherwise a new one. */
export function requestId(given: string | null | undefined): string {
  return given && SANE.test(given) ? given : randomUUID();
}
