import { z } from 'zod';
import { usageSchema } from '../../schemas/chat.ts';
import type { RoleUse } from '../../schemas/report.ts';
import { roleSchema } from '../../schemas/trace.ts';
import { readLedger } from '../run/readLedger.ts';
import { stageRecords } from '../run/stageRecords.ts';

/** What of a trace tells who used what; everything else stays unparsed. */
const agentCall = z.object({
  type: z.literal('agent_call'),
  role: roleSchema,
  usage: usageSchema,
  cost_usd: z.number(),
  malformed: z.array(z.unknown()),
});
const workSchema = z.object({ events: z.array(z.union([agentCall, z.object({ type: z.string() })])) });
type Work = z.infer<typeof workSchema>;

/** What each role used, over solved and failed tasks alike. */
export async function roleUse(runFolder: string): Promise<RoleUse[]> {
  const uses = new Map<string, RoleUse>();
  for await (const { record } of stageRecords(runFolder, 'rollout', workSchema)) addWork(uses, record);
  for await (const entry of readLedger(runFolder, 'rollout')) {
    const partial = workSchema.safeParse(entry.kind === 'fail' ? entry.partial : undefined);
    if (partial.success) addWork(uses, partial.data);
  }
  return roleSchema.options.flatMap((role) => uses.get(role) ?? []);
}

function addWork(uses: Map<string, RoleUse>, work: Work): void {
  for (const event of work.events) {
    if (!('role' in event)) continue;
    const before = uses.get(event.role);
    uses.set(event.role, {
      role: event.role,
      calls: (before?.calls ?? 0) + 1 + event.malformed.length,
      prompt_tokens: (before?.prompt_tokens ?? 0) + event.usage.prompt_tokens,
      completion_tokens: (before?.completion_tokens ?? 0) + event.usage.completion_tokens,
      cost_usd: (before?.cost_usd ?? 0) + event.cost_usd,
    });
  }
}
