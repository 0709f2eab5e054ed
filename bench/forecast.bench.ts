/**
 * How often the forecasts that are said while rollouts are under way hold what comes, by kind of task:
 * `node bench/forecast.bench.ts [RUN ...]`, where each run's folder adds a kind a profile: its rollouts, drawn again and
 * again. 50 runs a line with fixed seeds. `first` is the first forecast of a run, `all` are all of them.
 */
import { basename } from 'node:path';
import { z } from 'zod';
import { readEvents } from '../pipeline/run/eventLog.ts';
import { stageRecords } from '../pipeline/run/stageInputs.ts';
import { usageSchema } from '../schemas/chat.ts';
import { roleSchema } from '../schemas/trace.ts';
import { mulberry32 } from '../test/support/mulberry32.ts';
import {
  type DrawRollout,
  drawnKinds,
  type PlayedCall,
  playRun,
  type Said,
} from './support/playedRollouts.ts';

const RUNS = 50;
const sizes = [50, 200, 1_000].flatMap((rollouts) => [16, 64].map((atOnce) => ({ rollouts, atOnce })));

const callSchema = z.object({
  event: z.literal('model_call'),
  role: roleSchema,
  task_id: z.string(),
  duration_ms: z.number(),
  usage: usageSchema,
});
const traceSchema = z.object({ task_id: z.string(), profile: z.string() });

/** The solved rollouts of a run, by profile. A call takes as long as it did, and as its tokens would on a small server. */
async function recordedKinds(runFolder: string): Promise<Record<string, DrawRollout>> {
  const byTask = new Map<string, PlayedCall[]>();
  for await (const { task_id, usage, duration_ms } of readEvents(runFolder, '"model_call"', callSchema)) {
    const takes = duration_ms + 20 * usage.completion_tokens + usage.prompt_tokens - usage.cached_tokens;
    const tokens = usage.prompt_tokens + usage.completion_tokens;
    byTask.set(task_id, [...(byTask.get(task_id) ?? []), { takes, tokens }]);
  }
  const kinds = new Map<string, PlayedCall[][]>();
  for await (const { record } of stageRecords(runFolder, 'rollout', traceSchema)) {
    const calls = byTask.get(record.task_id);
    const kind = `${basename(runFolder)} ${record.profile}`;
    if (calls) kinds.set(kind, [...(kinds.get(kind) ?? []), calls]);
  }
  return Object.fromEntries(
    [...kinds].map(([name, pool]) => [name, (random) => pool[Math.floor(random() * pool.length)]!]),
  );
}

function summed(said: readonly Said[]) {
  const mean = (of: (one: Said) => number) => said.reduce((sum, one) => sum + of(one), 0) / said.length;
  const held = mean(({ tokens, truth }) => Number(tokens.low <= truth && truth <= tokens.high));
  return said.length === 0
    ? '-'
    : `${Math.round(100 * held)}% of ${said.length}, ${mean(({ tokens, truth }) => tokens.expected / truth).toFixed(2)} of what came, high/low ${mean(({ tokens }) => tokens.high / tokens.low).toFixed(1)}, at ${Math.round(100 * mean(({ ended }) => ended))}%`;
}

const kinds = { ...drawnKinds };
for (const folder of process.argv.slice(2)) Object.assign(kinds, await recordedKinds(folder));
for (const [kind, draw] of Object.entries(kinds)) {
  console.log(kind);
  console.table(
    sizes.map((size) => {
      const runs = Array.from({ length: RUNS }, (_, run) =>
        playRun(draw, size, mulberry32(run * 7_919 + size.rollouts * 31 + size.atOnce)),
      );
      return {
        ...size,
        first: summed(runs.flatMap((said) => said.slice(0, 1))),
        all: summed(runs.flat()),
      };
    }),
  );
}
