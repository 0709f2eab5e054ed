/** One address with one key. */
export interface EndpointMember {
  readonly baseUrl: string;
  /** Undefined where the address asks for none; then no authorization is sent. */
  readonly apiKey: string | undefined;
}

/** What an attempt showed of the endpoint's health. */
export type AttemptVerdict =
  /** It answered; also when it said that the request is wrong. `tokens` is what it counted, undefined where it did not. */
  | { readonly kind: 'answered'; readonly tokens: number | undefined }
  /** It has too much to do at the moment: 429, 503, 529. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number | undefined; readonly reason: Error }
  /** It failed: other 5xx, a broken connection, no answer in time, a body that is not an answer. */
  | { readonly kind: 'faulty'; readonly reason: Error }
  /** It won't serve this key or model again: 401, 402, 403, 404, an empty account. */
  | { readonly kind: 'barred'; readonly reason: Error }
  /** We gave the attempt up before it could show anything. */
  | { readonly kind: 'abandoned' };

/** A request to send one attempt. */
export interface SendRequest {
  /** Retries made so far: retries go before new requests. */
  readonly attempt: number;
  /** What it will count towards tokens a minute, prompt and answer, as well as can be said beforehand. */
  readonly tokens: number;
  /** A member that just failed it: another one is preferred. */
  readonly avoid?: EndpointMember | undefined;
  /** The place of the task that it belongs to, as in `StageContext`: its slot is preferred. */
  readonly lane?: number | undefined;
}

/** The right to send one attempt. */
export interface EndpointLease {
  readonly member: EndpointMember;
  /** True when it is to find out whether a member that only failed is back: its failure is not the request's fault. */
  readonly isProbe: boolean;
  /** The server's slot that keeps the task's conversation, from 0; undefined where it has none of its own. */
  readonly slot: number | undefined;
  /**
   * Called right before the attempt is sent: one that stayed too long since it was let through, as for money, waits for
   * another turn, since many of them would crowd a minute.
   *
   * @throws the signal's reason when it is aborted
   */
  leave(signal: AbortSignal): Promise<void>;
  /** Gives the slot back. Called exactly once, when the attempt has ended. */
  settle(verdict: AttemptVerdict): void;
}

/** The endpoints and keys that serve a model, with their limits. */
export interface EndpointPool {
  readonly members: readonly EndpointMember[];
  /** True when no member is of use: each has failed as many probes as it is allowed, or won't serve us. */
  readonly isDown: boolean;
  /** True when a member other than the given ones may still serve. */
  hasOther(than: ReadonlySet<EndpointMember>): boolean;
  /**
   * Waits until a member may be sent to.
   *
   * @throws the signal's reason when it is aborted, and the `reason` of the last attempt when every member is down.
   */
  acquire(request: SendRequest, signal: AbortSignal): Promise<EndpointLease>;
}
