import { z } from 'zod';
import { jsonObjectSchema } from '../../base/json.ts';

/** Supported versions of the Agent Trajectory Interchange Format (Harbor, RFC 0001); the last one is written. */
export const atifVersions = ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5', '1.6', '1.7'] as const;
export const atifWrittenVersion = 'ATIF-v1.7';

const count = z.int();
const extra = jsonObjectSchema.nullish();

/** Text or image of a message; images since 1.6. */
const contentPartSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string(), source: z.null().optional() }),
  z.strictObject({
    type: z.literal('image'),
    text: z.null().optional(),
    source: z.strictObject({
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      path: z.string(),
    }),
  }),
]);
const contentSchema = z.union([z.string(), z.array(contentPartSchema)]);
/** Text, or parts of text and images. */
export type AtifContent = z.infer<typeof contentSchema>;

const toolCallSchema = z.strictObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: jsonObjectSchema,
  extra,
});

/** Resolved by `trajectory_id` (embedded) or `trajectory_path` (a file); `session_id` alone is not resolvable. */
const subagentRefSchema = z
  .strictObject({
    trajectory_id: z.string().nullish(),
    session_id: z.string().nullish(),
    trajectory_path: z.string().nullish(),
    extra,
  })
  .refine((ref) => ref.trajectory_id != null || ref.trajectory_path != null, {
    error: 'expected trajectory_id or trajectory_path, found neither',
  });

const observationSchema = z.strictObject({
  results: z.array(
    z.strictObject({
      source_call_id: z.string().nullish(),
      content: contentSchema.nullish(),
      subagent_trajectory_ref: z.array(subagentRefSchema).nullish(),
      extra,
    }),
  ),
});

const metricsSchema = z.strictObject({
  prompt_tokens: count.nullish(),
  completion_tokens: count.nullish(),
  cached_tokens: count.nullish(),
  cost_usd: z.number().nullish(),
  prompt_token_ids: z.array(z.int()).nullish(),
  completion_token_ids: z.array(z.int()).nullish(),
  logprobs: z.array(z.number()).nullish(),
  extra,
});

const isoTimestamp = /^\d{4}-?\d{2}-?\d{2}([T ]\d{2}(:?\d{2}){0,2}([.,]\d+)?(Z|[+-]\d{2}(:?\d{2})?)?)?$/;

const stepSchema = z
  .strictObject({
    step_id: z.int().min(1),
    timestamp: z.string().regex(isoTimestamp, 'expected an ISO 8601 time').nullish(),
    source: z.enum(['system', 'user', 'agent']),
    model_name: z.string().nullish(),
    reasoning_effort: z.union([z.string(), z.number()]).nullish(),
    message: contentSchema,
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(toolCallSchema).nullish(),
    observation: observationSchema.nullish(),
    metrics: metricsSchema.nullish(),
    is_copied_context: z.boolean().nullish(),
    llm_call_count: count.nonnegative().nullish(),
    extra,
  })
  .superRefine(checkAtifStep);
export type AtifStep = z.infer<typeof stepSchema>;

const trajectoryShape = {
  schema_version: z.enum(atifVersions.map((version) => `ATIF-v${version}` as const)),
  session_id: z.string().nullish(),
  trajectory_id: z.string().nullish(),
  agent: z.strictObject({
    name: z.string(),
    version: z.string(),
    model_name: z.string().nullish(),
    tool_definitions: z.array(jsonObjectSchema).nullish(),
    extra,
  }),
  steps: z.array(stepSchema).min(1),
  notes: z.string().nullish(),
  final_metrics: z
    .strictObject({
      total_prompt_tokens: count.nullish(),
      total_completion_tokens: count.nullish(),
      total_cached_tokens: count.nullish(),
      total_cost_usd: z.number().nullish(),
      total_steps: count.nonnegative().nullish(),
      extra,
    })
    .nullish(),
  continued_trajectory_ref: z.string().nullish(),
  extra,
};

/** An ATIF document. Unknown keys, gaps in step ids and links to nothing are errors, as in Harbor's own validator. */
export interface AtifTrajectory extends z.infer<z.ZodObject<typeof trajectoryShape>> {
  readonly subagent_trajectories?: AtifTrajectory[] | null | undefined;
}

export const atifTrajectorySchema: z.ZodType<AtifTrajectory> = z
  .strictObject({
    ...trajectoryShape,
    get subagent_trajectories() {
      return z.array(atifTrajectorySchema).nullish();
    },
  })
  .superRefine(checkAtifLinks);

type Report = Pick<z.core.$RefinementCtx, 'addIssue'>;

const agentOnly = ['model_name', 'reasoning_effort', 'metrics', 'reasoning_content', 'tool_calls'] as const;
const modelOnly: readonly string[] = ['metrics', 'reasoning_content'];

/** Rejects agent-only fields on other steps, and model fields on steps without a model call. */
function checkAtifStep(step: AtifStep, { addIssue }: Report): void {
  const refuse = (field: keyof AtifStep, why: string) =>
    addIssue({ code: 'custom', path: [field], message: why, input: step[field] });
  const isAgent = step.source === 'agent';
  for (const field of agentOnly) {
    if (step[field] == null) continue;
    if (!isAgent) refuse(field, `only steps of source agent may have it, this is ${step.source}`);
    else if (step.llm_call_count === 0 && modelOnly.includes(field))
      refuse(field, 'a step with llm_call_count 0 called no model');
  }
}

/** Step ids count from 1 without gaps; results name calls of their own step; embedded sub-agents have unique ids. */
function checkAtifLinks(trajectory: AtifTrajectory, { addIssue }: Report): void {
  const refuse = (path: PropertyKey[], message: string, input: unknown) =>
    addIssue({ code: 'custom', path, message, input });
  trajectory.steps.forEach((step, at) => {
    if (step.step_id !== at + 1) {
      refuse(
        ['steps', at, 'step_id'],
        `expected ${at + 1} (from 1 without gaps), found ${step.step_id}`,
        step.step_id,
      );
    }
    const calls = new Set(step.tool_calls?.map((call) => call.tool_call_id));
    step.observation?.results.forEach(({ source_call_id: id }, nth) => {
      if (id == null || calls.has(id)) return;
      const path = ['steps', at, 'observation', 'results', nth, 'source_call_id'];
      refuse(path, `no tool call of this step has the id ${JSON.stringify(id)}`, id);
    });
  });
  const seen = new Set<string>();
  trajectory.subagent_trajectories?.forEach(({ trajectory_id: id }, at) => {
    const path = ['subagent_trajectories', at, 'trajectory_id'];
    if (id == null) refuse(path, 'an embedded sub-agent needs one', id);
    else if (seen.has(id)) refuse(path, `${JSON.stringify(id)} stands twice`, id);
    else seen.add(id);
  });
}
