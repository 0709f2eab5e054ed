import { z } from 'zod';
import { byName, Counts } from '../../base/counts.ts';
import { readEvents } from '../../pipeline/run/eventLog.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import { usageSchema } from '../../schemas/chat.ts';
import type { ReportData, RoleUse, ToolUse } from '../../schemas/report.ts';
import { cachedTokens } from '../../schemas/tokenCost.ts';
import { ownEvents, roleSchema } from '../../schemas/trace.ts';
import { addedUse } from '../evaluate/behaviour.ts';

/** What of a trace tells who used what; everything else stays unparsed. */
const agentCall = z.object({
  type: z.literal('agent_call'),
  role: roleSchema,
  usage: usageSchema,
  cost_usd: z.number(),
  malformed: z.array(z.unknown()),
});
const toolCall = z.object({
  type: z.literal('tool_call'),
  tool: z.string(),
  duration_ms: z.number(),
  cached: z.boolean().default(false),
  failure: z.unknown(),
});
const workSchema = z.object({
  taken_over: z.int().optional(),
  events: z.array(z.union([agentCall, toolCall, z.object({ type: z.string() })])),
});
type Work = z.infer<typeof workSchema>;

/** Those of whose calls no trace speaks. */
const rolesWithoutTrace = ['probe', 'tool', 'judge'] as const;
const untracedCallSchema = z.object({
  event: z.literal('model_call'),
  role: z.enum(rolesWithoutTrace),
  usage: usageSchema,
  cost_usd: z.number().default(0),
});
const retriedSchema = z.object({ event: z.literal('attempt_retried'), cause: z.string() });

/**
 * Sums up what each role and each tool, by name, was used for, over solved and failed tasks alike. Of the probe, of
 * tools' models and of the judge, which leave no trace, the calls that the cache did not answer.
 */
export async function rolloutUse(runFolder: string): Promise<Pick<ReportData, 'roles' | 'tools'>> {
  const roles = new Map<string, RoleUse>();
  const tools = new Map<string, ToolTally>();
  for (const role of rolesWithoutTrace) {
    for await (const call of readEvents(runFolder, `"role":"${role}"`, untracedCallSchema))
      if (call.role === role) addRole(roles, { ...call, malformed: [] });
  }
  const add = (work: Work) => {
    for (const event of ownEvents(work)) {
      if ('role' in event) addRole(roles, event);
      else if ('tool' in event) addTool(tools, event);
    }
  };
  for await (const { record } of stageRecords(runFolder, 'rollout', workSchema)) add(record);
  for await (const entry of readLedger(runFolder, 'rollout')) {
    const partial = workSchema.safeParse(entry.kind === 'fail' ? entry.partial : undefined);
    if (partial.success) add(partial.data);
  }
  return {
    roles: (['probe', ...roleSchema.options, 'tool', 'judge'] as const).flatMap(
      (role) => roles.get(role) ?? [],
    ),
    tools: [...tools].sort(([a], [b]) => (a < b ? -1 : 1)).map(([tool, tally]) => useOf(tool, tally)),
  };
}

function addRole(
  uses: Map<string, RoleUse>,
  event: Pick<z.infer<typeof agentCall>, 'usage' | 'cost_usd' | 'malformed'> & { readonly role: string },
): void {
  const before = uses.get(event.role);
  uses.set(event.role, {
    role: event.role,
    ...addedUse(before, 1 + event.malformed.length, event.usage, event.cost_usd),
    cached_tokens: (before?.cached_tokens ?? 0) + cachedTokens(event.usage),
  });
}

/** Calls of one tool so far; how long those took that were not answered from the cache, whole milliseconds counted. */
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

/** The least value that this share of the counted values does not exceed; null of none. */
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

/** The attempts at calls that were followed by another, in all sessions of a run, by cause. */
export async function retriesByCause(runFolder: string): Promise<Record<string, number>> {
  const counts = new Counts();
  for await (const { cause } of readEvents(runFolder, '"event":"attempt_retried"', retriedSchema))
    counts.add(cause);
  return byName(counts);
}
