import { type KeptSearch, keptSearchSchema } from '../../schemas/run/keptSearch.ts';
import { openExistingDatabase } from './answerDatabase.ts';
import { readAnswer } from './answerRow.ts';

/** A web search that a cache holds. */
export interface CachedSearch extends Omit<KeptSearch, 'organic'> {
  /** When it was answered, ISO 8601. */
  readonly answered_at: string;
  /** The service's address; `local` for what is on this machine. */
  readonly service: string;
  /** Pages that were found. */
  readonly found: number;
}

const SEARCHES = `
  SELECT * FROM answers WHERE kind = 'tool' AND name = 'web_search' ORDER BY created_at, request, provider
`;

/** The web searches of a cache, the oldest first; those of versions that did not note the query are left out. Throws `UserError` when the cache can't be had. */
export async function* keptSearches(file: string): AsyncGenerator<CachedSearch> {
  const opened = await openExistingDatabase(file);
  try {
    for (const row of opened.database.prepare(SEARCHES).iterate()) {
      const kept = readAnswer(row);
      const search = keptSearchSchema.safeParse(kept?.answer.raw);
      if (!kept || !search.success) continue;
      const { organic = [], ...asked } = search.data;
      yield { answered_at: kept.created_at, service: kept.provider, ...asked, found: organic.length };
    }
  } finally {
    await opened.close();
  }
}
