import { z } from 'zod';
import { reflectionCriteria, reflectionGrades } from './coa/bodies.ts';
import type { Profile } from './coa/profile.ts';

const words = z.string().trim().min(1);
const grades = Object.fromEntries(
  reflectionCriteria.map((criterion) => [criterion, z.enum(reflectionGrades)]),
);

/** Caches schemas by arguments: zod compiles each on first use. */
function kept<Args extends readonly unknown[], Schema>(make: (...args: Args) => Schema) {
  const made = new Map<string, Schema>();
  return (...args: Args): Schema => {
    const key = JSON.stringify(args);
    const schema = made.get(key) ?? make(...args);
    made.set(key, schema);
    return schema;
  };
}

/** Adds `think` before an answer if the grammar has a place for it. */
function thoughtOut<Shape extends z.ZodRawShape>(withThink: boolean, shape: Shape) {
  return withThink ? z.object({ think: words, ...shape }) : z.object(shape);
}

/** Answer of the orchestrator: its reasoning and the next action. */
export const orchestratorAnswerSchema = kept((allowed: readonly string[]) =>
  z.object({ think: words, next: z.enum(allowed as readonly [string, ...string[]]) }),
);

/** Answer of the planner. */
export const plannerAnswerSchema = kept((withThink: boolean) =>
  thoughtOut(withThink, { plan: z.union([words, z.array(words).min(1)]).transform(numberedSteps) }),
);

/**
 * Requested answer of the planner: steps as a list, since small models end a multi-line text after the first line.
 */
export const askedPlanSchema = kept((withThink: boolean) => thoughtOut(withThink, { plan: z.array(words) }));

/** Recorded form of a plan: one numbered line per step. */
function numberedSteps(plan: string | readonly string[]): string {
  if (typeof plan === 'string') return plan;
  return plan.map((step, at) => (/^\d+[.)]\s/.test(step) ? step : `${at + 1}. ${step}`)).join('\n');
}

/** Answer of the reflector: grades if the profile's reflection is graded, otherwise free text. */
export const reflectorAnswerSchema = kept((withThink: boolean, graded: boolean) =>
  graded ? thoughtOut(withThink, grades) : thoughtOut(withThink, { reflection: words }),
);

/** Answer of the answerer, for `suggested_answer` and `answer`. */
export const answererAnswerSchema = kept((withThink: boolean) => thoughtOut(withThink, { answer: words }));

/** Answer of the verifier: the rationale, then the score. */
export const verifierAnswerSchema = kept((withThink: boolean) =>
  thoughtOut(withThink, { score: z.int().min(1).max(4) }),
);

/** True when the profile's grammar wants a thinking block before the action. */
export function wantsThink(profile: Profile, action: string): boolean {
  return profile.think_before.includes(action);
}
