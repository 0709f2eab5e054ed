import type { JsonObject, JsonValue } from '../base/json.ts';
import type { ToolModelPart } from '../schemas/config/tools/toolSections.ts';
import type { Domain } from '../schemas/task.ts';
import type { TaskWork } from './calls.ts';
import type { ChatModel, Sampling, ToolDefinition } from './chatModel.ts';
import type { EmbeddingModel } from './textModels.ts';

/** Result of a tool: the text shown to the agent and the service's answer. */
export interface ToolResult {
  readonly observation: string;
  readonly raw: JsonValue;
  /** True if an earlier call's result was reused. */
  readonly cached?: boolean;
}

/** Purpose of an agent's call. */
export interface ToolGoal {
  /** The task's question. */
  readonly question: string;
  /** The agent's thought right before the call. */
  readonly thinking?: string;
}

/** Parsed input, or an error message for the model that wrote it. */
export type ParsedToolInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly error: string };

/**
 * A tool for agents. Mistakes of the agent and messages of the tool are returned as observations; faults of the
 * tool's service are thrown as `RecordFailure` (`tool_unavailable`, `sandbox_unavailable`), and end the task with
 * that cause.
 */
export interface Tool {
  /** Tag of the profile and function name for the model. */
  readonly name: string;
  readonly definition: ToolDefinition;
  /** Definition for a domain that does not use all of the input. Default: `definition`. */
  readonly definitionFor?: (domain: Domain) => ToolDefinition;
  /** True if results also depend on the goal and are cached per goal. Default: false. */
  readonly dependsOnGoal?: boolean;
  /** Validates an input against the tool's zod schema. */
  parseInput(input: unknown): ParsedToolInput;
  /** `work` names the calling task, absent without one; `goal` is the purpose of the call. */
  call(input: JsonObject, signal: AbortSignal, work?: TaskWork, goal?: ToolGoal): Promise<ToolResult>;
}

/** Chat model for tools. */
export interface ToolChatModel {
  readonly chat: ChatModel;
  readonly sampling: Sampling;
}

/** Models that tools use, opened on first use. Both throw `UserError` without their key. */
export interface ToolModels {
  chatModel(part: ToolModelPart): Promise<ToolChatModel>;
  /** Model of `tools.wiki_search.dense`. */
  embeddings(): Promise<EmbeddingModel>;
}
