import { z } from 'zod';
import { serperAnswerSchema } from '../../serperSearch.ts';
import type { SearchProvider } from '../searchProvider.ts';

/** `{"message": "Unauthorized.", "statusCode": 403}` */
const errorSchema = z.object({ message: z.string() });

/** Serper (serper.dev), and every service that speaks its JSON: `POST /search` with `X-API-KEY`. */
export const serper: SearchProvider = {
  name: 'serper',
  refuse: () => undefined,
  request: ({ query, num }, apiKey) => ({
    method: 'POST',
    path: '/search',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey ?? '' },
    body: JSON.stringify({ q: query, num }),
  }),
  read: (answer) => serperAnswerSchema.parse(answer).organic,
  explain({ status, body }) {
    const detail = errorSchema.safeParse(body).data?.message;
    // 400 is also said for an empty account ("Not enough credits").
    return { ...(detail && { detail }), isOfQuery: status === 400 && /\bquery\b/i.test(detail ?? '') };
  },
};
