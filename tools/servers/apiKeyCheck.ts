import { createHash, timingSafeEqual } from 'node:crypto';
import { Refusal } from './refusal.ts';

/**
 * A check that a request carries a key, as `X-API-KEY` or `Authorization: Bearer`. Hashes are compared, in constant
 * time, so that neither the key's length nor its beginning shows.
 *
 * @returns the check; it throws `Refusal` 401 for a request without the key
 */
export function apiKeyCheck(apiKey: string): (headers: Headers) => void {
  const expected = digest(apiKey);
  return (headers) => {
    const given = [headers.get('x-api-key'), bearerOf(headers.get('authorization'))];
    if (given.some((key) => key !== undefined && key !== null && timingSafeEqual(digest(key), expected)))
      return;
    throw new Refusal(401, 'the key is missing or wrong; send it as X-API-KEY or as Authorization: Bearer', {
      'WWW-Authenticate': 'Bearer',
    });
  };
}

function bearerOf(authorization: string | null): string | undefined {
  return /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
