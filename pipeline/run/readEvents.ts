import { join } from 'node:path';
import type { z } from 'zod';
import { readLines } from '../../base/journal/readLines.ts';
import { safeParseJson, storedLevels } from '../../base/json.ts';

/**
 * The events of a run that fit a schema, one in memory at a time. Nothing depends on `events.jsonl`, so damaged lines
 * are passed over.
 *
 * @param mark what every such line holds, as it is written; other lines are not parsed
 */
export async function* readEvents<T>(
  runFolder: string,
  mark: string,
  schema: z.ZodType<T>,
): AsyncGenerator<T> {
  const marked = Buffer.from(mark);
  for await (const { bytes, whole } of readLines(join(runFolder, 'events.jsonl'))) {
    if (!whole || !bytes.includes(marked)) continue;
    const line = safeParseJson(bytes.toString('utf8'), storedLevels);
    const event = schema.safeParse(line.ok ? line.value : undefined);
    if (event.success) yield event.data;
  }
}
