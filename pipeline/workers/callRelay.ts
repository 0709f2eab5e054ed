import type { Clock } from '../../base/clock.ts';
import type { Amount } from '../../calls/budget/spendingLog.ts';
import type { CallObserver, ModelCall, RetriedAttempt, ToolCall } from '../../contract/calls.ts';
import type { SharedDatabase } from './database/sharedDatabase.ts';
import { pack } from './database/sharedDatabase.ts';

const LINGER_MS = 500;

/** Call of a worker as reported to observers, without text. */
export type RelayedCall =
  | { readonly kind: 'model'; readonly call: ModelCall }
  | { readonly kind: 'tool'; readonly call: ToolCall }
  | { readonly kind: 'retried'; readonly call: RetriedAttempt }
  /** Worst case of an attempt that ended without a bill. */
  | { readonly kind: 'unbilled'; readonly call: Amount };

export function repeatCall(
  { kind, call }: Exclude<RelayedCall, { kind: 'unbilled' }>,
  observer: CallObserver,
): void {
  if (kind === 'model') observer.modelCall({ ...call, usage: call.usage ?? undefined });
  else if (kind === 'tool') observer.toolCall(call);
  else observer.retried?.(call);
}

export interface CallRelay extends CallObserver {
  unbilled(worst: Amount): void;
  /** Sends the remaining calls. */
  close(): Promise<void>;
}

/**
 * Sends a worker's calls to the coordinator. Calls not sent when a worker is killed are lost; they are for display
 * only.
 */
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
