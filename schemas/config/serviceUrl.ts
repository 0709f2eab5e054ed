import { z } from 'zod';

/**
 * The address of a service over HTTP. Paths are put behind it, so a query would end up in front of them; `fetch` takes
 * no address with a user name or password (Fetch standard, constructor of Request); and what is in an address gets
 * into logs.
 */
export const serviceUrlSchema = z
  .url({ protocol: /^https?$/, error: 'an http(s) URL', abort: true })
  .refine(
    holdsNoKey,
    'an address without user name, password, query and fragment; a key belongs into an environment variable, which api_key_env names',
  );

function holdsNoKey(address: string): boolean {
  const { username, password } = new URL(address);
  return username === '' && password === '' && !/[?#]/.test(address);
}
