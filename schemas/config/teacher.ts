import { z } from 'zod';
import { roleSchema } from '../trace.ts';
import { inputPath, key, keyOf, positive, positiveInt } from './keyMeaning.ts';
import { mixtureSchema } from './mixture.ts';
import { modelKey } from './models.ts';
import { playerConfigSchema } from './player.ts';
import { onWrongSchema, rolloutsConfigSchema } from './rollouts.ts';
import { defaultTeacherModel, teacherBackendNames } from './teacherBackends.ts';

const rolloutKey = keyOf('rollout');
const rolloutModel = modelKey('chat', 'rollout');

/** The `teacher` section. */
export const teacherConfigSchema = z.strictObject({
  backend: rolloutKey(
    z.enum(teacherBackendNames).default('openai'),
    'openai: a team of agents at any OpenAI-compatible endpoint; coa_model: one CoA model that plays all of them (docs/student.md); scripted: a server on the loopback that plays teacher.script',
  ),
  model: rolloutModel('Model that is asked').prefault(defaultTeacherModel),
  roles: z
    .partialRecord(roleSchema, rolloutModel("Model of the role; absent: the teacher's"))
    .prefault({})
    .describe('Models of single roles'),
  mixture: mixtureSchema,
  rollouts: rolloutsConfigSchema,
  on_wrong: rolloutKey(
    onWrongSchema,
    'hint: a rollout that the judge finds wrong is followed by a second try, which goes on from the first and is told that its answer was wrong, never the right one; it counts in no pass rate. Absent: nothing follows',
  ),
  script: rolloutKey(inputPath.optional(), 'Script (JSONL) of the scripted teacher; for backend scripted'),
  player: playerConfigSchema.optional().describe('How a CoA model plays; only backend coa_model reads it'),
  max_asks: rolloutKey(
    positiveInt.default(3),
    'Asks for one usable answer before the task fails as malformed_answer, answer_truncated or model_refused',
  ),
  layout: rolloutKey(
    z.enum(['shared', 'per_role']).default('shared'),
    "How a team's conversations begin. shared: with one system prompt for all roles, which ends at the work so far, so that each call of a task finds its beginning in the endpoint's prompt cache; tools are asked for as structured answers. per_role: with the role's own system prompt",
  ),
  turns: rolloutKey(
    z.enum(['merged', 'apart']).default('merged'),
    "merged: one answer picks a team's next action and takes it; roles with another model, endpoint or sampling than the orchestrator's take theirs in a call of their own. apart: the orchestrator picks, then the action's role takes it in a second call",
  ),
  keep_promises: rolloutKey(
    z.boolean().optional(),
    'Whether a team keeps to what the filters will ask: an answer before filters.min_interactions is asked for again, and taken at the last ask, no tool input or text repeats an earlier one; these filters then shape the rollout too. Absent: true for backend openai, false for scripted',
  ),
  concurrency: key(positiveInt.optional(), 'Tasks worked on at once; absent: enough for the endpoints'),
  budget: z
    .strictObject({
      max_steps: rolloutKey(
        positiveInt.default(36),
        'Most actions of one task; of a CoA model most steps, each up to a tool call or the answer',
      ),
      max_tokens: rolloutKey(positiveInt.default(2_000_000), 'Most prompt and completion tokens of one task'),
      max_seconds: rolloutKey(positive.default(3600), 'Most seconds of one task'),
    })
    .prefault({})
    .describe('Limits of one task; a task that reaches one fails'),
});
export type TeacherConfig = z.infer<typeof teacherConfigSchema>;
