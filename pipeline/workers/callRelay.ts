import type { Clock } from '../../base/clock.ts';
import type { SharedDatabase } from '../../calls/shared/sharedDatabase.ts';
import { pack } from '../../calls/shared/sharedDatabase.ts';
import type { CallObserver, ModelCall, RetriedAttempt, ToolCall } from '../../contract/calls.ts';

/** How long a call waits for others of its statement. */
const LINGER_MS = 500;

/** A call of a worker, of which those who watch the run are told. It holds no text. */
export type RelayedCall =
  | { readonly kind: 'model'; readonly call: ModelCall }
  | { readonly kind: 'tool'; readonly call: ToolCall }
  | { readonly kind: 'retried'; readonly call: RetriedAttempt };

/** Tells an observer of a worker's call. */
export function repeatCall({ kind, call }: RelayedCall, observer: CallObserver): void {
  if (kind === 'model') observer.modelCall({ ...call, usage: call.usage ?? undefined });
  else if (kind === 'tool') observer.toolCall(call);
  else observer.retried?.(call);
}

/** Sends a worker's calls to the coordinator. What is not sent when the worker is killed is lost: it counts nothing. */
export class CallRelay implements CallObserver {
  readonly #database: SharedDatabase;
  readonly #run: string;
  readonly #clock: Clock;
  #notes: RelayedCall[] = [];
  #sending: Promise<void> | undefined;

  constructor(database: SharedDatabase, run: string, clock: Clock) {
    this.#database = database;
    this.#run = run;
    this.#clock = clock;
  }

  modelCall(call: ModelCall): void {
    this.#add({ kind: 'model', call });
  }

  toolCall(call: ToolCall): void {
    this.#add({ kind: 'tool', call });
  }

  retried(call: RetriedAttempt): void {
    this.#add({ kind: 'retried', call });
  }

  /** Sends what is left. */
  async close(): Promise<void> {
    await this.#sending;
    await this.#send();
  }

  #add(note: RelayedCall): void {
    this.#notes.push(note);
    this.#sending ??= this.#clock
      .sleep(LINGER_MS)
      .then(() => this.#send())
      .finally(() => {
        this.#sending = undefined;
      });
  }

  async #send(): Promise<void> {
    const notes = this.#notes;
    this.#notes = [];
    if (notes.length === 0) return;
    const sql = 'INSERT INTO call (run, body) SELECT id, $2 FROM run WHERE id = $1';
    await this.#database.query(sql, [this.#run, pack(notes)]);
  }
}
