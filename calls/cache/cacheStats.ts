import { statSync } from 'node:fs';
import { withDatabase } from './answerDatabase.ts';

/** Cached answers of one model or tool. */
export interface CacheGroup {
  readonly kind: 'model' | 'tool' | 'finding' | 'definition';
  readonly name: string;
  readonly provider: string;
  readonly answers: number;
  /** Bytes of the answers as JSON. */
  readonly bytes: number;
  /** 0 for tools. */
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** ISO 8601. */
  readonly oldest: string;
  readonly newest: string;
}

/** Contents of a cache. */
interface CacheStats {
  readonly file: string;
  /** Bytes of the file and its log. */
  readonly file_bytes: number;
  readonly answers: number;
  readonly groups: readonly CacheGroup[];
}

const GROUPS = `
  SELECT kind, name, provider, count(*) AS answers, sum(length(CAST(answer AS BLOB))) AS bytes,
    total(CASE WHEN json_valid(answer) THEN answer ->> '$.usage.prompt_tokens' END) AS prompt_tokens,
    total(CASE WHEN json_valid(answer) THEN answer ->> '$.usage.completion_tokens' END) AS completion_tokens,
    min(created_at) AS oldest, max(created_at) AS newest
  FROM answers GROUP BY kind, name, provider ORDER BY kind, name, provider
`;

/** Counts a cache's contents. Throws `UserError` if it is unreadable. */
export async function cacheStats(file: string): Promise<CacheStats> {
  const groups = await withDatabase(file, ({ database }) =>
    database
      .prepare(GROUPS)
      .all()
      .map((row) => ({ ...row }) as unknown as CacheGroup),
  );
  const answers = groups.reduce((sum, group) => sum + group.answers, 0);
  const file_bytes = [file, `${file}-wal`]
    .map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
    .reduce((sum, bytes) => sum + bytes);
  return { file, file_bytes, answers, groups };
}
