import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { Session } from '../../contract/session.ts';
import type { Config } from '../../schemas/config/config.ts';
import {
  endpointsInUse,
  isSameMember,
  type MemberEndpoint,
  membersOf,
  type ResolvedEndpoint,
  sharedLimitsOf,
  teacherEndpoints,
} from '../../schemas/config/resolved/endpoints.ts';
import { createEndpointRegistry } from '../../teachers/client/endpointCapabilities.ts';
import { readServerSlots } from '../../teachers/client/readServerSlots.ts';

/** KV cache slots of the teacher's servers; each slot keeps the conversation of one task. */
export interface ServerSlots {
  /**
   * Tasks that fit into the slots of all endpoints; undefined if no server reports slots, or slots are not kept per
   * task.
   */
  readonly tasks: number | undefined;
  /** Adds slots to a member; concurrency defaults to their number. */
  keptBy(member: MemberEndpoint): MemberEndpoint;
}

/** Used if no server is queried. */
export const noServerSlots: ServerSlots = { tasks: undefined, keptBy: (member) => member };

/**
 * Asks each teacher server once for its number of slots. If the configured concurrency is higher, the user is warned
 * and slots are ignored, since the address may be a load balancer.
 */
export async function askServerSlots(config: Config, session: Session): Promise<ServerSlots> {
  if (session.offline) return noServerSlots;
  const asked = await Promise.all(
    endpointsInUse(config).map(async (member) => ({ member, slots: await slotsOf(member, config, session) })),
  );
  const known = (of: ResolvedEndpoint) => asked.find(({ member }) => isSameMember(member, of))?.slots;
  // Slots per role save more than slots per task if each role has its own prompt prefix.
  const tasks = config.teacher.layout === 'shared' ? tasksKept(config, known) : undefined;
  const { concurrency: wanted = 0 } = config.teacher;
  const isCrowded = tasks !== undefined && wanted > tasks;
  if (isCrowded)
    session.log(
      `teacher.concurrency is ${wanted}, and the servers have ${tasks} slots: tasks push each other out of their prompt caches; set it to ${tasks}, or leave it out`,
    );
  const keptBy = (member: MemberEndpoint): MemberEndpoint => {
    const slots = known(member);
    if (slots === undefined) return member;
    // Tasks without their own slot would evict others, whose requests then wait while other slots are idle.
    const own = tasks !== undefined && !isCrowded && { slots };
    return { ...member, concurrency: member.concurrency ?? slots, ...own };
  };
  return { tasks, keptBy };
}

async function slotsOf(
  member: ResolvedEndpoint,
  config: Config,
  { env, calls, log }: Session,
): Promise<number | undefined> {
  const { dispatcher } = createEndpointRegistry().capabilitiesFor(member, config.teacher.model.model);
  const apiKey = env[member.api_key_env]?.trim() || undefined;
  const slots = await readServerSlots({ baseUrl: member.base_url, apiKey }, dispatcher, calls.drain);
  if (slots === undefined) return undefined;
  const { concurrency = slots } = sharedLimitsOf(config, member);
  const address = addressWithoutSecrets(member.base_url);
  if (concurrency <= slots) return Math.min(slots, concurrency);
  log(
    `${address}: the server has ${slots} slots and endpoint.concurrency is ${concurrency}: the other requests wait inside of it while their timeout_s runs; set it to ${slots}, or leave it out`,
  );
  return undefined;
}

/** Minimum over the endpoints whose members all report their slots. */
function tasksKept(
  config: Config,
  known: (member: ResolvedEndpoint) => number | undefined,
): number | undefined {
  const kept = teacherEndpoints(config).flatMap((endpoint) => {
    const slots = membersOf(endpoint)
      .filter(({ fallback }) => !fallback)
      .map(known);
    const sum = slots.reduce<number | undefined>(
      (total, one) => (total === undefined || one === undefined ? undefined : total + one),
      0,
    );
    return sum ?? [];
  });
  return kept.length === 0 ? undefined : Math.min(...kept);
}
