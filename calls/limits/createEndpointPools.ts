import type { Clock } from '../../base/clock.ts';
import type { CallMeter } from '../../contract/calls.ts';
import type { EndpointPool } from '../../contract/endpointPool.ts';
import { MemberLimits, type MemberSettings } from './memberLimits.ts';
import { MemberPool } from './memberPool.ts';

/** Shared limits of a meter, if any. */
export function turnOf(meter: CallMeter | undefined): CallMeter['turn'] {
  return meter?.turn && ((limit, signal) => meter.turn!(limit, signal));
}

/** A member and its part in a pool. */
export interface PoolMember extends MemberSettings {
  /** Relative share of the requests. */
  readonly weight: number;
  /** True for a fallback, used only while no other member is healthy. */
  readonly fallback: boolean;
}

/** Factory of pools. */
export interface EndpointPools {
  (members: readonly PoolMember[]): EndpointPool;
  /** Further requests that each pool could send now: the minimum over the pools, 0 if any waits. */
  freeSlots(): number;
  /** Calls a listener after each finished request; returns the function that removes it. */
  onEnded(listener: () => void): () => void;
}

/**
 * Pools of a run. An address with a key has one set of limits in all pools; if configurations differ, the first
 * applies.
 * @param turn waits for limits that machines share; absent: this process keeps them alone
 */
export function createEndpointPools(clock: Clock, turn?: CallMeter['turn']): EndpointPools {
  const known = new Map<string, MemberLimits>();
  const pools: MemberPool[] = [];
  const listeners = new Set<() => void>();
  const limitsOf = (member: PoolMember): MemberLimits => {
    const key = JSON.stringify([member.baseUrl.replace(/\/+$/, ''), member.apiKey]);
    const limits = known.get(key) ?? new MemberLimits(member, clock.monotonicMs());
    if (!known.has(key)) limits.listeners.add(() => listeners.forEach(queueMicrotask));
    known.set(key, limits);
    return limits;
  };
  const open = (members: readonly PoolMember[]) => {
    const pool = new MemberPool(
      members.map((member) => ({
        limits: limitsOf(member),
        weight: member.weight,
        fallback: member.fallback,
      })),
      clock,
      turn,
    );
    pools.push(pool);
    return pool;
  };
  const freeSlots = () => (pools.length === 0 ? 0 : Math.min(...pools.map((pool) => pool.freeSlots)));
  const onEnded = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return Object.assign(open, { freeSlots, onEnded });
}
