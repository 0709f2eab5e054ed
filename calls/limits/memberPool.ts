import { addressWithoutSecrets } from '../../base/addressWithoutSecrets.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256Hex } from '../../base/ids.ts';
import type { CallMeter, RateLimit } from '../../contract/calls.ts';
import type {
  AttemptVerdict,
  EndpointLease,
  EndpointMember,
  EndpointPool,
  SendRequest,
} from '../../contract/endpointPool.ts';
import type { Attempt, MemberLimits, MemberSettings } from './memberLimits.ts';
import { LATE_MS } from './rateBucket.ts';

/** A member and its part in the pool. */
interface PooledMember {
  readonly limits: MemberLimits;
  /** Relative share of the requests. */
  readonly weight: number;
  readonly fallback: boolean;
}

interface Candidate extends PooledMember {
  /** First lane that maps to its slots. */
  readonly firstLane: number;
  /** Requests sent by the pool. */
  sent: number;
}

/** A lease, and its member's configured limits. */
interface MemberLease extends EndpointLease {
  readonly member: MemberSettings;
  turnAtMs: number;
}

/** A request waiting for a member. */
interface Waiter {
  readonly request: SendRequest;
  grant(lease: MemberLease): void;
  refuse(reason: unknown): void;
}

/**
 * Admits requests within its members' limits: those with the most retries first, then FIFO. The head of the queue
 * blocks everyone behind it.
 */
export class MemberPool implements EndpointPool {
  readonly #members: readonly Candidate[];
  readonly #clock: Clock;
  readonly #turn: CallMeter['turn'];
  readonly #queue: Waiter[] = [];
  /** Time reached, even if a timer fired slightly early. */
  #reachedMs = 0;
  #timer: { readonly dueMs: number; readonly stop: AbortController } | undefined;

  constructor(members: readonly PooledMember[], clock: Clock, turn: CallMeter['turn']) {
    this.#turn = turn;
    this.#members = withLanes(members);
    this.#clock = clock;
    for (const { limits } of members) limits.listeners.add(() => this.#onEnded());
  }

  get members(): readonly EndpointMember[] {
    return this.#members.map(({ limits }) => limits.settings);
  }

  /** Requests that could be sent now beyond those queued. */
  get freeSlots(): number {
    if (this.#queue.length > 0) return 0;
    return this.#members.reduce((sum, { limits }) => sum + limits.freeSlots, 0);
  }

  get isDown(): boolean {
    return this.#members.every(({ limits }) => limits.downReason !== undefined);
  }

  hasOther(than: ReadonlySet<EndpointMember>): boolean {
    return this.#members.some(({ limits }) => !than.has(limits.settings) && limits.downReason === undefined);
  }

  async acquire(request: SendRequest, signal: AbortSignal): Promise<EndpointLease> {
    signal.throwIfAborted();
    const lease = await this.#wait(request, signal);
    if (!this.#turn) return lease;
    try {
      await takeTurns(this.#turn, lease.member, request.tokens, signal);
      lease.turnAtMs = this.#nowMs();
      return lease;
    } catch (error) {
      lease.settle({ kind: 'abandoned' });
      throw error;
    }
  }

  /** Waits for a member that this process may send to. */
  #wait(request: SendRequest, signal: AbortSignal): Promise<MemberLease> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        reject(signal.reason);
        this.#serve();
      };
      const waiter: Waiter = {
        request,
        grant(lease) {
          signal.removeEventListener('abort', onAbort);
          resolve(lease);
        },
        refuse(reason) {
          signal.removeEventListener('abort', onAbort);
          reject(reason);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      const behind = this.#queue.findIndex((other) => other.request.attempt < request.attempt);
      this.#queue.splice(behind === -1 ? this.#queue.length : behind, 0, waiter);
      this.#serve();
    });
  }

  #onEnded(): void {
    this.#refuseWhereDown();
    this.#serve();
  }

  #nowMs(): number {
    return Math.max(this.#clock.monotonicMs(), this.#reachedMs);
  }

  #serve(): void {
    const nowMs = this.#nowMs();
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      const choice = chooseMember(this.#members, first.request, nowMs);
      if (!('member' in choice)) {
        this.#waitFor(choice.waitMs, nowMs);
        return;
      }
      choice.member.sent += 1;
      this.#queue.shift();
      first.grant(this.#lease(choice.member, first.request, nowMs));
    }
    this.#stopTimer();
  }

  #lease(member: Candidate, { tokens, lane }: SendRequest, nowMs: number): MemberLease {
    const { limits } = member;
    const attempt = limits.send(tokens, nowMs);
    const lease: MemberLease = {
      member: limits.settings,
      isProbe: attempt.breaker.isProbe,
      slot: slotOf(member, lane),
      turnAtMs: nowMs,
      leave: (signal) => this.#leave(lease, limits, attempt, signal),
      settle: (verdict: AttemptVerdict) => limits.end(attempt, verdict, this.#nowMs()),
    };
    return lease;
  }

  async #leave(
    lease: MemberLease,
    limits: MemberLimits,
    attempt: Attempt,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#nowMs() - lease.turnAtMs <= LATE_MS) return;
    if (this.#turn) return takeTurns(this.#turn, lease.member, attempt.tokens, signal);
    for (let waitMs = -1; waitMs !== 0; ) {
      waitMs = limits.secondTurnMs(attempt, this.#clock.monotonicMs());
      await this.#clock.sleep(waitMs, signal);
    }
  }

  /**
   * Rejects all waiting requests with the last fault once no member has answered its probes. Later requests wait for
   * the next probe, so that a long list of tasks does not fail within a second.
   */
  #refuseWhereDown(): void {
    if (!this.isDown) return;
    const reason = this.#members.at(-1)?.limits.downReason;
    for (const waiter of this.#queue.splice(0)) waiter.refuse(reason);
    this.#stopTimer();
  }

  #waitFor(waitMs: number, nowMs: number): void {
    const dueMs = nowMs + waitMs;
    if (this.#timer && this.#timer.dueMs <= dueMs) return;
    this.#stopTimer();
    if (waitMs === Number.POSITIVE_INFINITY) return;
    const timer = { dueMs, stop: new AbortController() };
    this.#timer = timer;
    this.#clock.sleep(waitMs, timer.stop.signal).then(
      () => {
        if (this.#timer !== timer) return;
        this.#timer = undefined;
        this.#reachedMs = Math.max(this.#reachedMs, dueMs);
        this.#serve();
      },
      // Aborted: the request waits no longer.
      () => {},
    );
  }

  #stopTimer(): void {
    this.#timer?.stop.abort();
    this.#timer = undefined;
  }
}

/** Lanes in member order, one per slot. */
function withLanes(members: readonly PooledMember[]): Candidate[] {
  let lanes = 0;
  return members.map((member) => {
    const firstLane = lanes;
    lanes += member.fallback ? 0 : (member.limits.settings.slots ?? 0);
    return { ...member, firstLane, sent: 0 };
  });
}

/** Waits for the configured limits of a member that machines share. */
async function takeTurns(
  turn: NonNullable<CallMeter['turn']>,
  { baseUrl, apiKey, requestsPerMinute, tokensPerMinute }: MemberSettings,
  tokens: number,
  signal: AbortSignal,
): Promise<void> {
  if (requestsPerMinute === undefined && tokensPerMinute === undefined) return;
  const key = sha256Hex(JSON.stringify([baseUrl, apiKey])).slice(0, 16);
  const provider = addressWithoutSecrets(baseUrl);
  const take = async (counts: RateLimit['counts'], perMinute: number | undefined, units: number) => {
    if (perMinute !== undefined)
      await turn({ key: `${key} ${counts}`, provider, counts, perMinute, units }, signal);
  };
  await take('requests', requestsPerMinute, 1);
  await take('tokens', tokensPerMinute, tokens);
}

/** Member to send to, or milliseconds until one is available: Infinity until an attempt ends. */
type Choice = { readonly member: Candidate } | { readonly waitMs: number };

/**
 * Selects a member among those available now, by: not the one that just failed the request; one due for a probe, so
 * that it can recover; the one with the task's slot; the fewest requests in flight by weight; the fewest sent by
 * weight. Fallbacks are used only while no other member is healthy.
 */
function chooseMember(members: readonly Candidate[], request: SendRequest, nowMs: number): Choice {
  const fallbacksServe = !members.some(({ limits, fallback }) => !fallback && limits.isHealthy);
  let best: Candidate | undefined;
  let soonestMs = Number.POSITIVE_INFINITY;
  for (const member of members) {
    if (member.fallback && !fallbacksServe) continue;
    const waitMs = member.limits.waitMs(request.tokens, nowMs);
    soonestMs = Math.min(soonestMs, waitMs);
    if (waitMs === 0 && (best === undefined || isBetter(member, best, request))) best = member;
  }
  return best ? { member: best } : { waitMs: soonestMs };
}

/** Slot of a member for the conversation of a lane's task; undefined if it belongs to another member or none. */
function slotOf({ limits, fallback, firstLane }: Candidate, lane = -1): number | undefined {
  const slot = lane - firstLane;
  return !fallback && slot >= 0 && slot < (limits.settings.slots ?? 0) ? slot : undefined;
}

function isBetter(member: Candidate, than: Candidate, { avoid, lane }: SendRequest): boolean {
  const [isAvoided, otherIsAvoided] = [member.limits.settings === avoid, than.limits.settings === avoid];
  if (isAvoided !== otherIsAvoided) return otherIsAvoided;
  if (member.limits.isHealthy !== than.limits.isHealthy) return than.limits.isHealthy;
  const [isHome, otherIsHome] = [slotOf(member, lane) !== undefined, slotOf(than, lane) !== undefined];
  if (isHome !== otherIsHome) return isHome;
  const load = member.limits.inFlight / member.weight - than.limits.inFlight / than.weight;
  return load === 0 ? member.sent / member.weight < than.sent / than.weight : load < 0;
}
