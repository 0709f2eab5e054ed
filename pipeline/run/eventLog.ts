import { join } from 'node:path';
import type { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { cutTornLine } from '../../base/journal/cutTornLine.ts';
import { Journal } from '../../base/journal/journal.ts';
import { readLines } from '../../base/journal/readLines.ts';
import { jsonValueOf, storedLevels } from '../../base/json.ts';
import type { RunEvent } from '../../schemas/run/eventLine.ts';

export type EventLog = Awaited<ReturnType<typeof openEventLog>>;

/** Opens `events.jsonl` for appending. Damaged lines are ignored, since nothing depends on them. */
export async function openEventLog(runFolder: string, clock: Clock) {
  const path = join(runFolder, 'events.jsonl');
  const journal = await Journal.open(path, await cutTornLine(path));
  return {
    write(event: RunEvent): void {
      journal.append({ at: new Date(clock.now()).toISOString(), ...event });
    },
    close: () => journal.close(),
  };
}

/**
 * Streams the events of a run that fit a schema. Damaged lines are skipped, since nothing depends on them.
 *
 * @param mark literal text of every such line; other lines are not parsed
 */
export async function* readEvents<T>(
  runFolder: string,
  mark: string,
  schema: z.ZodType<T>,
): AsyncGenerator<T> {
  const marked = Buffer.from(mark);
  for await (const { bytes, whole } of readLines(join(runFolder, 'events.jsonl'), 0, runFolder)) {
    if (!whole || !bytes.includes(marked)) continue;
    const event = schema.safeParse(jsonValueOf(bytes.toString('utf8'), storedLevels));
    if (event.success) yield event.data;
  }
}
