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
import { type Candidate, chooseMember, slotOf } from './chooseMember.ts';
import type { Attempt, MemberLimits, MemberSettings } from './memberLimits.ts';
import { LATE_MS } from './rateBucket.ts';

/** A member, and how it takes part. */
interface PooledMember extends Omit<Candidate, 'limits' | 'firstLane' | 'sent'> {
  readonly limits: MemberLimits;
}

/** A lease, and the limits that its member is configured with. */
interface MemberLease extends EndpointLease {
  readonly member: MemberSettings;
  turnAtMs: number;
}

/** A request that waits for a member. */
interface Waiter {
  readonly request: SendRequest;
  /** Undefined once it has been served, or its signal was aborted. */
  settle: { grant(lease: MemberLease): void; refuse(reason: unknown): void } | undefined;
}

/** Lets requests through as its members' limits allow, retries first, otherwise in the order in which they came. */
export class MemberPool implements EndpointPool {
  readonly #members: readonly (PooledMember & Pick<Candidate, 'firstLane' | 'sent'>)[];
  readonly #clock: Clock;
  readonly #turn: CallMeter['turn'];
  /** Waiting requests by the number of their retries. */
  readonly #lines: Waiter[][] = [];
  /** Time that has come, also where the timer went off a little early. */
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

  /** Requests that could be sent now beyond those that were asked for. */
  get freeSlots(): number {
    if (this.#first()) return 0;
    return this.#members.reduce((sum, { limits }) => sum + limits.freeSlots, 0);
  }

  get isDown(): boolean {
    return this.#members.every(({ limits }) => limits.downReason !== undefined);
  }

  hasOther(than: ReadonlySet<EndpointMember>): boolean {
    return this.#members.some(({ limits }) => !than.has(limits.settings) && limits.downReason === undefined);
  }

  async acquire(request: SendRequest, signal: AbortSignal): Promise<EndpointLease> {
    const lease = await this.#line(request, signal);
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

  /** Waits in line for a member that this process may send to. */
  async #line(request: SendRequest, signal: AbortSignal): Promise<MemberLease> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        waiter.settle = undefined;
        reject(signal.reason);
        this.#serve();
      };
      const waiter: Waiter = {
        request,
        settle: {
          grant(lease) {
            signal.removeEventListener('abort', onAbort);
            resolve(lease);
          },
          refuse(reason) {
            signal.removeEventListener('abort', onAbort);
            reject(reason);
          },
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#lineOf(request.attempt).push(waiter);
      this.#serve();
    });
  }

  #onEnded(): void {
    this.#refuseWhereDown();
    this.#serve();
  }

  #lineOf(attempt: number): Waiter[] {
    while (this.#lines.length <= attempt) this.#lines.push([]);
    return this.#lines[attempt]!;
  }

  #nowMs(): number {
    return Math.max(this.#clock.monotonicMs(), this.#reachedMs);
  }

  /** Nobody overtakes: while the first in line has to wait, all others do. */
  #serve(): void {
    const nowMs = this.#nowMs();
    for (let first = this.#first(); first; first = this.#first()) {
      const choice = chooseMember(this.#members, first.request, nowMs);
      if (!('member' in choice)) {
        this.#waitFor(choice.waitMs, nowMs);
        return;
      }
      choice.member.sent += 1;
      const { settle } = first;
      first.settle = undefined;
      settle?.grant(this.#lease(choice.member, first.request, nowMs));
    }
    this.#stopTimer();
  }

  /** Whom to serve next: the one with the most retries, and of those who has waited longest. */
  #first(): Waiter | undefined {
    for (let attempt = this.#lines.length - 1; attempt >= 0; attempt--) {
      const line = this.#lines[attempt]!;
      while (line[0] && !line[0].settle) line.shift();
      if (line[0]) return line[0];
    }
    return undefined;
  }

  #lease(
    member: PooledMember & Pick<Candidate, 'firstLane'>,
    { tokens, lane }: SendRequest,
    nowMs: number,
  ): MemberLease {
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
   * When no member has answered any of its probes, the last fault is that of everybody who waits. Requests that come
   * later wait for the next probe, so that a long list of tasks does not fail within a second.
   */
  #refuseWhereDown(): void {
    if (!this.isDown) return;
    const reason = this.#members.at(-1)?.limits.downReason;
    for (let first = this.#first(); first; first = this.#first()) {
      const { settle } = first;
      first.settle = undefined;
      settle?.refuse(reason);
    }
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
      // Stopped: nobody waits any more, or for less long.
      () => {},
    );
  }

  #stopTimer(): void {
    this.#timer?.stop.abort();
    this.#timer = undefined;
  }
}

/** Lanes in the order of the members, one a slot. */
function withLanes(members: readonly PooledMember[]) {
  let lanes = 0;
  return members.map((member) => {
    const firstLane = lanes;
    lanes += member.fallback ? 0 : (member.limits.settings.slots ?? 0);
    return { ...member, firstLane, sent: 0 };
  });
}

/** Waits for room in the limits that a member is configured with, where machines share them. */
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
