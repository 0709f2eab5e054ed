import { z } from 'zod';
import { jsonObjectSchema, jsonValueSchema } from '../../base/json.ts';

const toolCallSchema = z.looseObject({
  id: z.string().nullish(),
  type: z.string().nullish(),
  /** `arguments` is an object, or a text: a program for an agent that acts by code. */
  function: z.looseObject({ name: z.string(), arguments: z.union([z.string(), jsonObjectSchema]) }),
});

const stepSchema = z.discriminatedUnion('step_type', [
  z.looseObject({ step_type: z.literal('task'), task: z.string() }),
  z.looseObject({ step_type: z.literal('planning'), facts: z.string().nullish(), plan: z.string() }),
  z.looseObject({
    step_type: z.literal('action'),
    tool_calls: z.array(toolCallSchema).nullish(),
    /** Seconds since 1970. */
    start_time: z.number().nullish(),
    end_time: z.number().nullish(),
    step: z.int().nullish(),
    error: jsonValueSchema.optional(),
    /** Seconds; beyond a million years it is not a duration. */
    duration: z.number().max(3.2e13).nullish(),
    model_output: z.string().nullish(),
    observations: z.string().nullish(),
    action_output: jsonValueSchema.optional(),
    score: z.number().nullish(),
    evaluate_thought: z.string().nullish(),
  }),
]);
/** A step of the manager agent. */
export type OagentsStep = z.infer<typeof stepSchema>;

/** What a sub-agent did for one subtask. */
const subAgentRecordSchema = z.looseObject({
  answer: jsonValueSchema.optional(),
  tool_calls: z.array(
    z.looseObject({
      name: z.string(),
      args: z.union([z.string(), jsonObjectSchema]),
      observation: z.string().nullish(),
    }),
  ),
});
export type SubAgentRecord = z.infer<typeof subAgentRecordSchema>;

/**
 * One task in a log of OAgents, AFM's own teacher (a fork of smolagents). What sub-agents did stands only in
 * `search_agent_actions`, by the text of the subtask; an empty list where there is no sub-agent.
 */
export const oagentsRowSchema = z.looseObject({
  agent_name: z.string().nullish(),
  question: z.string().min(1),
  augmented_question: z.string().nullish(),
  prediction: jsonValueSchema.optional(),
  true_answer: z.union([z.string(), z.number()]).nullish(),
  intermediate_steps: z.array(stepSchema),
  parsing_error: z.boolean().nullish(),
  iteration_limit_exceeded: z.boolean().nullish(),
  agent_error: z.string().nullish(),
  start_time: z.string().nullish(),
  end_time: z.string().nullish(),
  task: jsonValueSchema.optional(),
  task_id: z.union([z.string(), z.number()]).nullish(),
  search_agent_actions: z.union([z.record(z.string(), subAgentRecordSchema), z.tuple([])]).nullish(),
});
export type OagentsRow = z.infer<typeof oagentsRowSchema>;
