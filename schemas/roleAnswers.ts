import { z } from 'zod';
import { reflectionCriteria, reflectionGrades } from './coa/bodies.ts';
import type { Profile } from './coa/profile.ts';

const words = z.string().trim().min(1);
const grades = Object.fromEntries(
  reflectionCriteria.map((criterion) => [criterion, z.enum(reflectionGrades)]),
);

/** The schema of equal arguments: zod compiles each one when it first reads an answer. */
function kept<Args extends readonly unknown[], Schema>(make: (...args: Args) => Schema) {
  const made = new Map<string, Schema>();
  return (...args: Args): Schema => {
    const key = JSON.stringify(args);
    const schema = made.get(key) ?? make(...args);
    made.set(key, schema);
    return schema;
  };
}

/** An answer with `think` before it, which is asked for only where the grammar has a place for it. */
function thoughtOut<Shape extends z.ZodRawShape>(withThink: boolean, shape: Shape) {
  return withThink ? z.object({ think: words, ...shape }) : z.object(shape);
}

/** What the orchestrator answers: its reasoning and which of the allowed actions comes next. */
export const orchestratorAnswerSchema = kept((allowed: readonly string[]) =>
  z.object({ think: words, next: z.enum(allowed as readonly [string, ...string[]]) }),
);

/** What the planner answers. */
export const plannerAnswerSchema = kept((withThink: boolean) =>
  thoughtOut(withThink, { plan: z.union([words, z.array(words).min(1)]).transform(numberedSteps) }),
);

/** What the planner is asked for: steps as a list, since small models end a text of several lines after the first. */
export const askedPlanSchema = kept((withThink: boolean) => thoughtOut(withThink, { plan: z.array(words) }));

/** A plan as it is recorded: a line a step, with its number. */
function numberedSteps(plan: string | readonly string[]): string {
  if (typeof plan === 'string') return plan;
  return plan.map((step, at) => (/^\d+[.)]\s/.test(step) ? step : `${at + 1}. ${step}`)).join('\n');
}

/** What the reflector answers: grades where the profile's reflection is graded, free words otherwise. */
export const reflectorAnswerSchema = kept((withThink: boolean, graded: boolean) =>
  graded ? thoughtOut(withThink, grades) : thoughtOut(withThink, { reflection: words }),
);

/** What the answerer answers, for `suggested_answer` and `answer` alike. */
export const answererAnswerSchema = kept((withThink: boolean) => thoughtOut(withThink, { answer: words }));

/** What the verifier answers: the rationale, then the score. */
export const verifierAnswerSchema = kept((withThink: boolean) =>
  thoughtOut(withThink, { score: z.int().min(1).max(4) }),
);

/** True when the profile's grammar wants a thinking block before the action. */
export function wantsThink(profile: Profile, action: string): boolean {
  return profile.think_before.includes(action);
}
