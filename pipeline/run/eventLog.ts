import { join } from 'node:path';
import type { EventLine } from '../../schemas/run/eventLine.ts';
import type { Clock } from '../contract/ports.ts';
import { Journal } from './journal.ts';
import { scanJournal } from './scanJournal.ts';

/** An event without its time. */
export type RunEvent = EventLine extends infer E ? (E extends EventLine ? Omit<E, 'at'> : never) : never;

/** Writes `events.jsonl`. */
export class EventLog {
  readonly #journal: Journal;
  readonly #clock: Clock;

  private constructor(journal: Journal, clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
  }

  static async open(runFolder: string, clock: Clock): Promise<EventLog> {
    const path = join(runFolder, 'events.jsonl');
    const bytes = await scanJournal(path, () => {});
    return new EventLog(await Journal.open(path, bytes), clock);
  }

  write(event: RunEvent): void {
    this.#journal.append({ at: new Date(this.#clock.now()).toISOString(), ...event });
  }

  close(): Promise<void> {
    return this.#journal.close();
  }
}
