import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ToolModelPart } from '../schemas/config/tools/toolSections.ts';
import type { Domain } from '../schemas/task.ts';
import type { TaskWork } from './calls.ts';
import type { ChatModel, Sampling, ToolDefinition } from './chatModel.ts';
import type { EmbeddingModel } from './textModels.ts';

/** What a tool gives back: the text that the agent is shown, and what the service answered. */
export interface ToolResult {
  readonly observation: string;
  readonly raw: JsonValue;
  /** True when an earlier call's result was used and the tool itself was not asked. */
  readonly cached?: boolean;
}

/** What an agent wants to learn by a call. */
export interface ToolGoal {
  /** The task's question. */
  readonly question: string;
  /** What the agent thought right before the call. */
  readonly thinking?: string;
}

/** What a tool makes of an input: the input to call with, or a message for the model that wrote it. */
export type ParsedToolInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly error: string };

/**
 * A tool that an agent can call. What the agent did wrong, and what the tool says of it, comes back as an observation;
 * what the tool's service did wrong is thrown as `RecordFailure` (`tool_unavailable`, `sandbox_unavailable`), and ends
 * the task with that cause.
 */
export interface Tool {
  /** The profile tag that calls it, and the function's name for the model. */
  readonly name: string;
  readonly definition: ToolDefinition;
  /** What is offered on tasks of a domain, where that has no use for a part of the input. Default: `definition`. */
  readonly definitionFor?: (domain: Domain) => ToolDefinition;
  /** True when results also depend on the goal; such results are kept for one goal each. False by default. */
  readonly dependsOnGoal?: boolean;
  /** Validates an input against the tool's zod schema. */
  parseInput(input: unknown): ParsedToolInput;
  /** `work` says whose call it is, without it, it belongs to no task; `goal` what the call is for. */
  call(input: JsonObject, signal: AbortSignal, work?: TaskWork, goal?: ToolGoal): Promise<ToolResult>;
}

/** A chat model as a tool asks it. */
export interface ToolChatModel {
  readonly chat: ChatModel;
  readonly sampling: Sampling;
}

/** The models that tools ask, each opened when it is first needed. Both throw `UserError` without their key. */
export interface ToolModels {
  chatModel(part: ToolModelPart): Promise<ToolChatModel>;
  /** The model of `tools.wiki_search.dense`. */
  embeddings(): Promise<EmbeddingModel>;
}
