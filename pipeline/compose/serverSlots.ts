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

/** Slots of the teacher's servers, each of which keeps the conversation of one task. */
export interface ServerSlots {
  /** Tasks that all of its endpoints can keep at once; undefined where no server says how many, or none keeps tasks. */
  readonly tasks: number | undefined;
  /** A member with its slots, and with as many requests in flight where nothing else is configured. */
  keptBy(member: MemberEndpoint): MemberEndpoint;
}

/** Where nobody is asked. */
export const noServerSlots: ServerSlots = { tasks: undefined, keptBy: (member) => member };

/**
 * Asks each server of the teacher once how many slots it has. The configuration wins: where more requests in flight are
 * configured, the user is told, and the slots are not counted on, for there may be several servers behind the address.
 */
export async function askServerSlots(config: Config, session: Session): Promise<ServerSlots> {
  if (session.offline) return noServerSlots;
  const asked = await Promise.all(
    endpointsInUse(config).map(async (member) => ({ member, slots: await slotsOf(member, config, session) })),
  );
  const known = (of: ResolvedEndpoint) => asked.find(({ member }) => isSameMember(member, of))?.slots;
  // Where each role has a beginning of its own, slots that keep roles save more than slots that keep tasks.
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
    // Tasks without a slot of their own would take those of others, which then wait while another one is idle.
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

/** The fewest of any endpoint whose members all say how many. */
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
