import { z } from 'zod';
import { readEvents } from '../../pipeline/run/eventLog.ts';
import { roleSchema } from '../../schemas/trace.ts';

const callSchema = z.union([
  z.object({
    event: z.literal('model_call'),
    role: roleSchema,
    task_id: z.string(),
    duration_ms: z.number(),
  }),
  z.object({ event: z.literal('tool_call'), task_id: z.string(), duration_ms: z.number() }),
]);

/** How long the team's calls and its tools took, by task: from the run's events, since a trace whose answers came from the cache took no time. */
export class AskedTime {
  readonly #byTask = new Map<string, { calls: number; ms: number }>();

  /** Reads the calls that the cache did not answer, of all sessions. */
  static async read(runFolder: string): Promise<AskedTime> {
    const time = new AskedTime();
    for await (const { event, task_id, duration_ms } of readEvents(runFolder, '_call"', callSchema)) {
      const of = time.#byTask.get(task_id) ?? { calls: 0, ms: 0 };
      time.#byTask.set(task_id, of);
      of.ms += duration_ms;
      if (event === 'model_call') of.calls++;
    }
    return time;
  }

  /** Milliseconds of a rollout with so many calls: its part of its task's. Undefined where the cache answered some. */
  take(taskId: string, calls: number): number | undefined {
    const of = this.#byTask.get(taskId);
    if (!of || of.calls < calls || calls === 0) return undefined;
    const ms = (of.ms * calls) / of.calls;
    of.ms -= ms;
    of.calls -= calls;
    return ms;
  }
}
