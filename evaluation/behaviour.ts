import { z } from 'zod';
import { byName, Counts } from '../base/counts.ts';
import type { JsonObject } from '../base/json.ts';
import { usageSchema } from '../schemas/chat.ts';
import type { Profile } from '../schemas/coa/profile.ts';
import { invalidGrammar } from '../schemas/filters/verdictRules.ts';
import type { LedgerEntry } from '../schemas/outcome.ts';
import type { Trajectory } from '../schemas/trajectory.ts';
import type { BenchmarkResult, RoleUse } from './records/evaluationFile.ts';

/** Fields of a trace event: usage, and errors in a step of a CoA model. */
export const playEventSchema = z.object({
  role: z.string().optional(),
  usage: usageSchema.optional(),
  cost_usd: z.number().optional(),
  answer: z
    .looseObject({
      incidents: z
        .array(z.object({ name: z.string() }))
        .optional()
        .catch(undefined),
    })
    .nullable()
    .optional()
    .catch(undefined),
});
type PlayEvent = z.infer<typeof playEventSchema>;

/** Usage fields of a judge's evidence. */
const judgeUseSchema = z.object({
  votes: z.array(z.unknown()),
  usage: usageSchema,
  cost_usd: z.number(),
});

/** Behaviour and usage of a player, accumulated over the records of a run. */
export class Behaviour {
  readonly #profileOf: (name: string) => Profile | undefined;
  readonly #incidents = new Map<string, { samples: number; times: number }>();
  readonly #roles = new Map<string, RoleUse>();
  #kept = 0;
  #broken = 0;

  constructor(profileOf: (name: string) => Profile | undefined) {
    this.#profileOf = profileOf;
  }

  /** Adds a sample's events, with or without an answer. */
  played(events: readonly PlayEvent[]): void {
    const times = new Counts();
    for (const { role, usage, cost_usd = 0, answer } of events) {
      if (role !== undefined && usage) this.#pay(role, 1, usage, cost_usd);
      for (const { name } of answer?.incidents ?? []) times.add(name);
    }
    for (const [name, of] of times) {
      const { samples, times: before } = this.#incidents.get(name) ?? { samples: 0, times: 0 };
      this.#incidents.set(name, { samples: samples + 1, times: before + of });
    }
  }

  /** Adds a failed sample: its partial events, or failed judge requests. */
  failed(entry: LedgerEntry): void {
    if (entry.kind !== 'fail') return;
    const partial = z.object({ events: z.array(playEventSchema) }).safeParse(entry.partial);
    if (partial.success) this.played(partial.data.events);
    this.#judgedBy(entry.failure.evidence);
  }

  judged(trajectory: Trajectory): void {
    for (const { evidence } of trajectory.quality.verdicts) this.#judgedBy(evidence);
    const profile = this.#profileOf(trajectory.profile);
    if (!profile) return;
    if (invalidGrammar(trajectory, profile)) this.#broken += 1;
    else this.#kept += 1;
  }

  result(): Pick<BenchmarkResult, 'grammar' | 'incidents' | 'use_by_role'> {
    return {
      grammar: { kept: this.#kept, broken: this.#broken },
      incidents: byName(this.#incidents),
      use_by_role: byName(this.#roles),
    };
  }

  #judgedBy(evidence: JsonObject): void {
    const use = judgeUseSchema.safeParse(evidence);
    if (use.success) this.#pay('judge', use.data.votes.length, use.data.usage, use.data.cost_usd);
  }

  #pay(role: string, calls: number, usage: z.infer<typeof usageSchema>, costUsd: number): void {
    this.#roles.set(role, addedUse(this.#roles.get(role), calls, usage, costUsd));
  }
}

/** Adds calls to a role's usage. */
export function addedUse(
  before: RoleUse = { calls: 0, prompt_tokens: 0, completion_tokens: 0, cost_usd: 0 },
  calls: number,
  usage: z.infer<typeof usageSchema>,
  costUsd: number,
): RoleUse {
  return {
    calls: before.calls + calls,
    prompt_tokens: before.prompt_tokens + usage.prompt_tokens,
    completion_tokens: before.completion_tokens + usage.completion_tokens,
    cost_usd: before.cost_usd + costUsd,
  };
}
