import type { SendRequest } from '../../contract/endpointPool.ts';
import type { MemberLimits } from './memberLimits.ts';

/** A member of a pool, as the choice between members sees it. */
export interface Candidate {
  readonly limits: Pick<MemberLimits, 'settings' | 'inFlight' | 'isHealthy' | 'waitMs'>;
  readonly weight: number;
  readonly fallback: boolean;
  /** The lane whose tasks have the first of its slots. */
  readonly firstLane: number;
  /** Requests that the pool has sent to it. */
  sent: number;
}

/** Who is sent to, or how long it takes until somebody may be: Infinity until an attempt ends. */
export type Choice<Member> = { readonly member: Member } | { readonly waitMs: number };

/**
 * Chooses the member to send a request to, among those that may be sent to now: not the one that just failed it; one
 * that is due for a probe, or it would never come back; the one with the task's slot; the one with the fewest requests in
 * flight for its weight; the one that has had the fewest for its weight. Fallbacks are asked only while no other member is healthy.
 */
export function chooseMember<Member extends Candidate>(
  members: readonly Member[],
  request: Omit<SendRequest, 'attempt'>,
  nowMs: number,
): Choice<Member> {
  const fallbacksServe = !members.some(({ limits, fallback }) => !fallback && limits.isHealthy);
  let best: Member | undefined;
  let soonestMs = Number.POSITIVE_INFINITY;
  for (const member of members) {
    if (member.fallback && !fallbacksServe) continue;
    const waitMs = member.limits.waitMs(request.tokens, nowMs);
    soonestMs = Math.min(soonestMs, waitMs);
    if (waitMs === 0 && (best === undefined || isBetter(member, best, request))) best = member;
  }
  return best ? { member: best } : { waitMs: soonestMs };
}

/** The slot of a member that keeps the conversation of a lane's task; undefined where another one does, or none. */
export function slotOf(
  { limits, fallback, firstLane }: Pick<Candidate, 'limits' | 'fallback' | 'firstLane'>,
  lane = -1,
): number | undefined {
  const slot = lane - firstLane;
  return !fallback && slot >= 0 && slot < (limits.settings.slots ?? 0) ? slot : undefined;
}

function isBetter(
  member: Candidate,
  than: Candidate,
  { avoid, lane }: Pick<SendRequest, 'avoid' | 'lane'>,
): boolean {
  const [isAvoided, otherIsAvoided] = [member.limits.settings === avoid, than.limits.settings === avoid];
  if (isAvoided !== otherIsAvoided) return otherIsAvoided;
  if (member.limits.isHealthy !== than.limits.isHealthy) return than.limits.isHealthy;
  const [isHome, otherIsHome] = [slotOf(member, lane) !== undefined, slotOf(than, lane) !== undefined];
  if (isHome !== otherIsHome) return isHome;
  const load = member.limits.inFlight / member.weight - than.limits.inFlight / than.weight;
  return load === 0 ? member.sent / member.weight < than.sent / than.weight : load < 0;
}
