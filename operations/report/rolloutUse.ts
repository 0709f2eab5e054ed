import { z } from 'zod';
import { byName, Counts } from '../../base/counts.ts';
import { synthesisStageNames } from '../../contract/stageTable.ts';
import { addedUse } from '../../evaluation/behaviour.ts';
import { readEvents } from '../../pipeline/run/eventLog.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { usageSchema } from '../../schemas/chat.ts';
import type { RoleUse, ToolUse } from '../../schemas/report.ts';
import { callRoleSchema } from '../../schemas/run/eventLine.ts';
import { synthesisRoles } from '../../schemas/taskSynthesis.ts';
import { cachedTokens } from '../../schemas/tokenCost.ts';
import { ownEvents, roleSchema } from '../../schemas/trace.ts';

/** Tool call fields of a trace. */
const toolCall = z.object({
  type: z.literal('tool_call'),
  tool: z.string(),
  duration_ms: z.number(),
  cached: z.boolean().default(false),
  failure: z.unknown(),
});
const workSchema = z.object({
  taken_over: z.int().optional(),
  events: z.array(z.union([toolCall, z.object({ type: z.string() })])),
});
type Work = z.infer<typeof workSchema>;

const calledSchema = z.object({
  event: z.literal('model_call'),
  role: callRoleSchema,
  stage: z.string().optional(),
  usage: usageSchema,
  cost_usd: z.number().default(0),
});
const retriedSchema = z.object({ event: z.literal('attempt_retried'), cause: z.string() });

/** Roles in run order. */
const roleOrder = [...synthesisRoles, 'probe', ...roleSchema.options, 'tool', 'judge'] as const;

/** Sums uncached model answers by role, and by stage in a synthesis. */
export async function roleUse(runFolder: string): Promise<RoleUse[]> {
  const uses = new Map<string, RoleUse>();
  for await (const call of readEvents(runFolder, '"event":"model_call"', calledSchema)) {
    const { role, stage, usage, cost_usd } = call;
    const key = `${stage} ${role}`;
    const before = uses.get(key);
    const cached = (before?.cached_tokens ?? 0) + cachedTokens(usage);
    const use = { ...addedUse(before, 1, usage, cost_usd), cached_tokens: cached };
    uses.set(key, { role, ...(stage !== undefined && { stage }), ...use });
  }
  return [undefined, ...synthesisStageNames].flatMap((stage) =>
    roleOrder.flatMap((role) => uses.get(`${stage} ${role}`) ?? []),
  );
}

export async function toolUse(runFolder: string): Promise<ToolUse[]> {
  const tools = new Map<string, ToolTally>();
  const add = (work: Work) => {
    for (const event of ownEvents(work)) if ('tool' in event) addTool(tools, event);
  };
  for await (const { record } of stageRecords(runFolder, 'rollout', workSchema)) add(record);
  for await (const entry of readLedger(runFolder, 'rollout')) {
    const partial = workSchema.safeParse(entry.kind === 'fail' ? entry.partial : undefined);
    if (partial.success) add(partial.data);
  }
  return [...tools].sort(([a], [b]) => (a < b ? -1 : 1)).map(([tool, tally]) => useOf(tool, tally));
}

interface ToolTally {
  calls: number;
  cached: number;
  failed: number;
  readonly durations: Counts<number>;
}

function addTool(tallies: Map<string, ToolTally>, event: z.infer<typeof toolCall>): void {
  const tally = tallies.get(event.tool) ?? { calls: 0, cached: 0, failed: 0, durations: new Counts() };
  tallies.set(event.tool, tally);
  tally.calls += 1;
  if (event.failure != null) tally.failed += 1;
  if (event.cached) tally.cached += 1;
  else tally.durations.add(Math.round(event.duration_ms));
}

function useOf(tool: string, { calls, cached, failed, durations }: ToolTally): ToolUse {
  const sorted = [...durations].sort(([a], [b]) => a - b);
  return { tool, calls, cached, failed, p50_ms: quantile(sorted, 0.5), p99_ms: quantile(sorted, 0.99) };
}

function quantile(
  sorted: readonly (readonly [value: number, times: number])[],
  share: number,
): number | null {
  const all = sorted.reduce((sum, [, times]) => sum + times, 0);
  let left = Math.ceil(all * share);
  for (const [value, times] of sorted) {
    left -= times;
    if (left <= 0) return value;
  }
  return null;
}

/** Retries of all sessions by cause. */
export async function retriesByCause(runFolder: string): Promise<Record<string, number>> {
  const counts = new Counts();
  for await (const { cause } of readEvents(runFolder, '"event":"attempt_retried"', retriedSchema))
    counts.add(cause);
  return byName(counts);
}
