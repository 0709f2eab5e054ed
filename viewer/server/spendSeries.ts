import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { readLines } from '../../base/journal/readLines.ts';
import { safeParseJson } from '../../base/json.ts';
import type { SpendMinute } from '../api.ts';

const MINUTE_MS = 60_000;
/** Lines between two looks at what else is to be done. */
const LINES_A_TURN = 2_000;

const callSchema = z.object({
  at: z.string(),
  event: z.enum(['model_call', 'attempt_retried']),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).optional(),
  cost_usd: z.number().optional(),
});

/** What a run spent, minute by minute, from its `events.jsonl`; only what was added since is read. */
export class SpendSeries {
  readonly #path: string;
  #offset = 0;
  readonly #minutes = new Map<number, { -readonly [K in keyof SpendMinute]: SpendMinute[K] }>();

  constructor(runFolder: string) {
    this.#path = join(runFolder, 'events.jsonl');
  }

  /** All minutes by now in which something was asked, in their order. */
  async read(): Promise<SpendMinute[]> {
    let lines = 0;
    for await (const { bytes, offset, whole } of readLines(this.#path, this.#offset)) {
      if (!whole) break;
      this.#offset = offset + bytes.length + 1;
      const json = safeParseJson(bytes.toString('utf8'));
      const event = callSchema.safeParse(json.ok ? json.value : undefined);
      if (event.success) this.#add(event.data);
      if (++lines % LINES_A_TURN === 0) await nextTurn();
    }
    return [...this.#minutes.values()].sort((a, b) => a.at_ms - b.at_ms);
  }

  #add({ at, event, usage, cost_usd = 0 }: z.infer<typeof callSchema>): void {
    const atMs = Math.floor(Date.parse(at) / MINUTE_MS) * MINUTE_MS;
    if (Number.isNaN(atMs)) return;
    const minute = this.#minutes.get(atMs) ?? { at_ms: atMs, calls: 0, retries: 0, cost_usd: 0, tokens: 0 };
    this.#minutes.set(atMs, minute);
    if (event === 'attempt_retried') minute.retries++;
    else minute.calls++;
    minute.cost_usd += cost_usd;
    minute.tokens += (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0);
  }
}
