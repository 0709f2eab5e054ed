import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { readLines } from '../../base/journal/readLines.ts';
import { safeParseJson } from '../../base/json.ts';

const MINUTE_MS = 60_000;
/** Lines between two looks at what else is to be done. */
const LINES_A_TURN = 2_000;

/** What `events.jsonl` says of requests and `spending.jsonl` of bills; other lines have no place in time here. */
const lineSchema = z.union([
  z.object({ at: z.string(), event: z.enum(['model_call', 'attempt_retried']) }),
  z.object({ at: z.string(), kind: z.enum(['billed', 'workers']), cost_usd: z.number(), tokens: z.number() }),
]);

/** What a minute of a run saw. */
export interface SpendMinute {
  /** Its beginning, milliseconds since 1970. */
  readonly at_ms: number;
  calls: number;
  retries: number;
  cost_usd: number;
  tokens: number;
}

/** What a run asked and was billed, minute by minute, from its logs; only what was added since is read. */
export class SpendSeries {
  readonly #runFolder: string;
  readonly #files: { readonly path: string; offset: number }[];
  readonly #minutes = new Map<number, SpendMinute>();
  #reading: Promise<SpendMinute[]> = Promise.resolve([]);

  constructor(runFolder: string) {
    this.#runFolder = runFolder;
    this.#files = ['events.jsonl', 'spending.jsonl'].map((name) => ({
      path: join(runFolder, name),
      offset: 0,
    }));
  }

  /**
   * All minutes by now in which something was asked or billed, in their order. Two readings at a time would count lines
   * twice: one begins where the one before ended.
   */
  read(): Promise<SpendMinute[]> {
    this.#reading = this.#reading.catch(() => []).then(() => this.#readOn());
    return this.#reading;
  }

  async #readOn(): Promise<SpendMinute[]> {
    let lines = 0;
    for (const file of this.#files) {
      for await (const { bytes, offset, whole } of readLines(file.path, file.offset, this.#runFolder)) {
        if (!whole) break;
        file.offset = offset + bytes.length + 1;
        const json = safeParseJson(bytes.toString('utf8'));
        const line = lineSchema.safeParse(json.ok ? json.value : undefined);
        if (line.success) this.#add(line.data);
        if (++lines % LINES_A_TURN === 0) await nextTurn();
      }
    }
    return [...this.#minutes.values()].sort((a, b) => a.at_ms - b.at_ms);
  }

  #add(line: z.infer<typeof lineSchema>): void {
    const atMs = Math.floor(Date.parse(line.at) / MINUTE_MS) * MINUTE_MS;
    if (Number.isNaN(atMs)) return;
    const minute = this.#minutes.get(atMs) ?? { at_ms: atMs, calls: 0, retries: 0, cost_usd: 0, tokens: 0 };
    this.#minutes.set(atMs, minute);
    if ('kind' in line) {
      minute.cost_usd += line.cost_usd;
      minute.tokens += line.tokens;
    } else if (line.event === 'attempt_retried') minute.retries++;
    else minute.calls++;
  }
}
