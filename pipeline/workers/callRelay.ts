import type { Clock } from '../../base/clock.ts';
import type { Amount } from '../../calls/budget/spendingLog.ts';
import type { CallObserver, ModelCall, RetriedAttempt, ToolCall } from '../../contract/calls.ts';
import type { SharedDatabase } from './database/sharedDatabase.ts';
import { pack } from './database/sharedDatabase.ts';

/** How long a call waits for others of its statement. */
const LINGER_MS = 500;

/** A call of a worker, of which those who watch the run are told. It holds no text. */
export type RelayedCall =
  | { readonly kind: 'model'; readonly call: ModelCall }
  | { readonly kind: 'tool'; readonly call: ToolCall }
  | { readonly kind: 'retried'; readonly call: RetriedAttempt }
  /** The worst case of an attempt that ended without a bill. */
  | { readonly kind: 'unbilled'; readonly call: Amount };

/** Tells an observer of a worker's call. */
export function repeatCall(
  { kind, call }: Exclude<RelayedCall, { kind: 'unbilled' }>,
  observer: CallObserver,
): void {
  if (kind === 'model') observer.modelCall({ ...call, usage: call.usage ?? undefined });
  else if (kind === 'tool') observer.toolCall(call);
  else observer.retried?.(call);
}

/** Where a worker's calls are told. */
export interface CallRelay extends CallObserver {
  unbilled(worst: Amount): void;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** Sends a worker's calls to the coordinator. What is not sent when the worker is killed is lost: it counts nothing. */
export function createCallRelay(database: SharedDatabase, run: string, clock: Clock): CallRelay {
  let calls: RelayedCall[] = [];
  let sending: Promise<void> | undefined;
  const send = async () => {
    const sent = calls;
    calls = [];
    if (sent.length === 0) return;
    const sql = 'INSERT INTO call (run, body) SELECT id, $2 FROM run WHERE id = $1';
    await database.query(sql, [run, pack(sent)]);
  };
  const add = (call: RelayedCall) => {
    calls.push(call);
    sending ??= clock
      .sleep(LINGER_MS)
      .then(send)
      .finally(() => {
        sending = undefined;
      });
  };
  return {
    modelCall: (call) => add({ kind: 'model', call }),
    toolCall: (call) => add({ kind: 'tool', call }),
    retried: (call) => add({ kind: 'retried', call }),
    unbilled: (call) => add({ kind: 'unbilled', call }),
    async close() {
      await sending;
      await send();
    },
  };
}
