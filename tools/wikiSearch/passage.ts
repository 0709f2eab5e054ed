import { z } from 'zod';
import { safeParseLine } from '../../base/rows/repeatedKey.ts';
import { UserError } from '../../base/userError.ts';

export interface Passage {
  readonly id: string;
  /** `"Title"`, a line feed, the text. */
  readonly contents: string;
}

/** A corpus line in the format of the wiki-18 dump; other keys are ignored. */
const corpusLineSchema = z.object({
  id: z.union([z.string().min(1, 'is empty'), z.int().transform(String)], {
    error: 'expected a string or a whole number',
  }),
  contents: z.string('expected a string').trim().min(1, 'is empty'),
});

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses a corpus line. Throws `UserError` with the file, the line and the field. */
export function parsePassage(bytes: Uint8Array, file: string, line: number): Passage {
  const fail = (what: string): never => {
    throw new UserError(
      `${file}:${line}: ${what}; expected one {"id", "contents"} a line, contents = "Title"\\ntext`,
    );
  };
  // Only two texts are read: other keys may be nested at any depth.
  const parsed = safeParseLine(decode(bytes) ?? fail('not UTF-8'), Number.POSITIVE_INFINITY);
  if (!parsed.ok) return fail(parsed.error);
  const checked = corpusLineSchema.safeParse(parsed.value);
  if (!checked.success) {
    const { path, message } = checked.error.issues[0]!;
    return fail(`${path.join('.') || 'the line'}: ${message}`);
  }
  // SQLite and a service's JSON cannot store a lone surrogate.
  return { id: checked.data.id.toWellFormed(), contents: checked.data.contents.toWellFormed() };
}

/** Splits `"Title"\ntext`; a passage of one line is a title without text. */
export function splitContents(contents: string): { readonly title: string; readonly text: string } {
  const end = contents.indexOf('\n');
  const title = (end < 0 ? contents : contents.slice(0, end)).trim();
  const isQuoted = title.length > 1 && title.startsWith('"') && title.endsWith('"');
  return {
    title: isQuoted ? title.slice(1, -1) : title,
    text: end < 0 ? '' : contents.slice(end + 1).trim(),
  };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

export interface RetrievedPassage {
  readonly id: string;
  /** `"Title"`, a line feed, the text. */
  readonly contents: string;
  /** Higher is better; its meaning depends on the search method. */
  readonly score: number;
}

/** Finds passages of a corpus, local or remote: used by the agents' tool and by our server of it. */
export interface PassageRetriever {
  /**
   * At most `topK` passages per query, best first.
   * @throws RecordFailure `tool_unavailable` when the index or service fails, an `endpoint_*` cause when the model of
   *   the embeddings does; the signal's reason when it is aborted
   */
  retrieve(
    queries: readonly string[],
    topK: number,
    signal: AbortSignal,
  ): Promise<readonly (readonly RetrievedPassage[])[]>;
  close(): Promise<void> | void;
}
