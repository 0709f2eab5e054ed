/** An address with its key. */
export interface EndpointMember {
  readonly baseUrl: string;
  /** Undefined if the address needs none; no authorization is sent then. */
  readonly apiKey: string | undefined;
}

/** Health of the endpoint as shown by an attempt. */
export type AttemptVerdict =
  /**
   * Answered, including rejections of an invalid request. `tokens` is the endpoint's count, undefined without one.
   */
  | { readonly kind: 'answered'; readonly tokens: number | undefined }
  /** Overloaded: 429, 503, 529. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number | undefined; readonly reason: Error }
  /** Failed: other 5xx, a broken connection, a timeout, an invalid body. */
  | { readonly kind: 'faulty'; readonly reason: Error }
  /** Will not serve this key or model again: 401, 402, 403, 404, an empty account. */
  | { readonly kind: 'barred'; readonly reason: Error }
  /** Cancelled on our side before a result. */
  | { readonly kind: 'abandoned' };

/** A request to send one attempt. */
export interface SendRequest {
  /** Retries so far: retries precede new requests. */
  readonly attempt: number;
  /** Estimated tokens of prompt and answer, for limits per minute. */
  readonly tokens: number;
  /** Member that just failed the request; another is preferred. */
  readonly avoid?: EndpointMember | undefined;
  /** Concurrency slot of its task, as in `StageContext`: the matching server slot is preferred. */
  readonly lane?: number | undefined;
}

/** Permission to send one attempt. */
export interface EndpointLease {
  readonly member: EndpointMember;
  /** True for a probe of a failing member: its failure is not the request's fault. */
  readonly isProbe: boolean;
  /** Server slot that keeps the task's conversation, from 0; undefined without one. */
  readonly slot: number | undefined;
  /**
   * Call right before sending: an attempt delayed since admission, for instance by the budget, waits for another
   * turn, since many of them would crowd a minute.
   * @throws the signal's reason when it is aborted
   */
  leave(signal: AbortSignal): Promise<void>;
  /** Releases the slot. Call exactly once, when the attempt ends. */
  settle(verdict: AttemptVerdict): void;
}

/** Endpoints and keys that serve a model, with their limits. */
export interface EndpointPool {
  readonly members: readonly EndpointMember[];
  /** True if no member is usable: each has failed its maximum of probes or refuses us. */
  readonly isDown: boolean;
  /** True if a member other than the given ones may still serve. */
  hasOther(than: ReadonlySet<EndpointMember>): boolean;
  /**
   * Waits for a member that may be sent to.
   * @throws the signal's reason when it is aborted, and the `reason` of the last attempt when every member is down.
   */
  acquire(request: SendRequest, signal: AbortSignal): Promise<EndpointLease>;
}
