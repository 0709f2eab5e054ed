import { z } from 'zod';
import { usageSchema } from '../../../schemas/chat.ts';
import type { TargetForecast } from '../../../schemas/run/targetFile.ts';
import { traceTotalsSchema } from '../../../schemas/trace.ts';
import { readEvents } from '../readEvents.ts';
import { stageRecords } from '../stageInputs.ts';
import { readLedger } from '../stageJournals.ts';
import { tasksToCome, type WindowYield } from './windowSize.ts';

const workSchema = z.object({
  totals: traceTotalsSchema.pick({ cost_usd: true, prompt_tokens: true, completion_tokens: true }),
});

/**
 * What a run will take until it holds what is wanted, by what its first tasks took: their number is uncertain by their
 * yield, the rest goes with it. Undefined before there is a yield.
 *
 * @param tookMs - Time of the tasks so far, where it is known.
 */
export async function forecastTarget(
  runFolder: string,
  yields: Readonly<Record<string, WindowYield>>,
  tookMs: number | undefined,
): Promise<TargetForecast | undefined> {
  const all = Object.values(yields);
  const known = all.map((of) => ({ of, more: tasksToCome(of) }));
  const done = all.reduce((sum, { tasks }) => sum + tasks, 0);
  if (done === 0 || known.some(({ of, more }) => of.available > of.tasks && !more)) return undefined;
  const tasks = interval((bound) =>
    known.reduce((sum, { of, more }) => sum + Math.min(more?.[bound] ?? 0, of.available - of.tasks), 0),
  );
  const used = await readUse(runFolder);
  const inProportion = (total: number) => interval((bound) => (tasks[bound] * total) / done);
  return {
    tasks: interval((bound) => Math.ceil(tasks[bound])),
    cost_usd: inProportion(used.costUsd),
    tokens: inProportion(used.tokens),
    ...(tookMs !== undefined && { seconds: inProportion(tookMs / 1000) }),
  };
}

function interval(value: (bound: 'low' | 'expected' | 'high') => number) {
  return { low: value('low'), expected: value('expected'), high: value('high') };
}

const untracedCallSchema = z.object({
  event: z.literal('model_call'),
  role: z.enum(['probe', 'tool', 'judge']),
  usage: usageSchema,
  cost_usd: z.number().default(0),
});

/**
 * What the calls of all models took so far: those of the teacher by its traces, those of the probe, of tools and of the
 * judge, which leave none, by the events.
 */
async function readUse(runFolder: string): Promise<{ readonly costUsd: number; readonly tokens: number }> {
  let [costUsd, tokens] = [0, 0];
  const add = ({ totals }: z.infer<typeof workSchema>) => {
    costUsd += totals.cost_usd;
    tokens += totals.prompt_tokens + totals.completion_tokens;
  };
  for await (const { record } of stageRecords(runFolder, 'rollout', workSchema)) add(record);
  for await (const entry of readLedger(runFolder, 'rollout')) {
    const partial = workSchema.safeParse(entry.kind === 'fail' ? entry.partial : undefined);
    if (partial.success) add(partial.data);
  }
  for await (const { usage, cost_usd } of readEvents(runFolder, '"event":"model_call"', untracedCallSchema))
    add({ totals: { ...usage, cost_usd } });
  return { costUsd, tokens };
}
