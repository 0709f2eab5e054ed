import { z } from 'zod';
import type { Profile } from './coa/profile.ts';

const words = z.string().trim().min(1);
const gradeWord = z.enum(['Good', 'Average', 'Poor']);

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

/** What the orchestrator answers: its reasoning and which of the allowed actions comes next. */
export const orchestratorAnswerSchema = kept((allowed: readonly string[]) =>
  z.object({ think: words, next: z.enum(allowed as readonly [string, ...string[]]) }),
);

/** What the planner answers. `think` is asked for only where the grammar has a place for it. */
export const plannerAnswerSchema = kept((withThink: boolean) => {
  const plan = z.union([words, z.array(words).min(1)]).transform(numberedSteps);
  return withThink ? z.object({ think: words, plan }) : z.object({ plan });
});

/** What the planner is asked for: steps as a list, since small models end a text of several lines after the first. */
export const askedPlanSchema = kept((withThink: boolean) => {
  const plan = z.array(words);
  return withThink ? z.object({ think: words, plan }) : z.object({ plan });
});

/** A plan as it is recorded: a line a step, with its number. */
function numberedSteps(plan: string | readonly string[]): string {
  if (typeof plan === 'string') return plan;
  return plan.map((step, at) => (/^\d+[.)]\s/.test(step) ? step : `${at + 1}. ${step}`)).join('\n');
}

/** What the reflector answers: grades where the profile's reflection is graded, free words otherwise. */
export const reflectorAnswerSchema = kept((withThink: boolean, graded: boolean) => {
  const body = graded
    ? { information_conflict: gradeWord, tool_effectiveness: gradeWord, trajectory_monitoring: gradeWord }
    : { reflection: words };
  return withThink ? z.object({ think: words, ...body }) : z.object(body);
});

/** What the answerer answers, for `suggested_answer` and `answer` alike. */
export const answererAnswerSchema = kept((withThink: boolean) =>
  withThink ? z.object({ think: words, answer: words }) : z.object({ answer: words }),
);

/** What the verifier answers: the rationale, then the score. */
export const verifierAnswerSchema = kept((withThink: boolean) => {
  const score = z.int().min(1).max(4);
  return withThink ? z.object({ think: words, score }) : z.object({ score });
});

/** True when the profile's grammar wants a thinking block before the action. */
export function wantsThink(profile: Profile, action: string): boolean {
  return profile.think_before.includes(action);
}
