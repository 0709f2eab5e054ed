import { canonicalJson } from '../../base/ids.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { type AdpItem, type AdpTrajectory, adpWrittenVersion } from '../../schemas/interchange/adp.ts';
import {
  type AtifStep,
  type AtifTrajectory,
  atifTrajectorySchema,
  atifWrittenVersion,
} from '../../schemas/interchange/atif.ts';
import type { OpenaiConversation, OpenaiMessage } from '../../schemas/interchange/openaiChat.ts';
import { OWN_KEY } from '../../schemas/interchange/ownRun.ts';
import type { Trace } from '../../schemas/trace.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import type { ExportFormat, ExportRun, ExportTurn } from './exportRun.ts';
import { runOfTrace, runOfTrajectory } from './runOfTrace.ts';

/** Converts a trace to another system's format. `version` is that of coa-distill. */
export function exportTrace(
  trace: Trace,
  profile: Profile,
  format: ExportFormat,
  version: string,
): JsonObject {
  return rendered(runOfTrace(trace, profile), format, version);
}

/** Converts a trajectory to another system's format. `version` is that of coa-distill. */
export function exportTrajectory(
  trajectory: Trajectory,
  profile: Profile,
  format: ExportFormat,
  version: string,
): JsonObject {
  return rendered(runOfTrajectory(trajectory, profile), format, version);
}

function rendered(run: ExportRun, format: ExportFormat, version: string): JsonObject {
  if (format === 'atif') return asJson(renderAtif(run, version));
  return asJson(format === 'adp' ? renderAdp(run) : renderOpenai(run));
}

function asJson(value: object): JsonObject {
  return value as unknown as JsonObject;
}

/** Converts a run to an Agent Data Protocol trajectory: each action directly before its result. */
function renderAdp(run: ExportRun): AdpTrajectory {
  return {
    schema_version: adpWrittenVersion,
    id: run.id,
    content: [
      { class_: 'text_observation', content: run.question, source: 'user' },
      ...run.turns.flatMap(itemsOf),
    ],
    details: { [OWN_KEY]: run.own as unknown as JsonObject },
  };
}

function itemsOf({ reasoning, text, calls }: ExportTurn): AdpItem[] {
  const thought = reasoning === null ? {} : { reasoning_content: reasoning };
  if (calls.length === 0) return [{ class_: 'message_action', content: text, ...thought }];
  return calls.flatMap(({ name, input, observation }, at): AdpItem[] => [
    {
      class_: 'api_action',
      function: name,
      kwargs: input,
      // Thoughts and text before several calls go before the first of them.
      ...(at === 0 && thought),
      ...(at === 0 && text !== '' && { description: text }),
    },
    { class_: 'text_observation', content: observation, source: 'environment' },
  ]);
}

/** Converts a run to one conversation of a fine-tuning file, with thinking in `reasoning_content`. */
function renderOpenai(run: ExportRun): OpenaiConversation {
  const question: OpenaiMessage = { role: 'user', content: run.question };
  return { messages: [question, ...run.turns.flatMap(messagesOf)], [OWN_KEY]: run.own };
}

function messagesOf({ reasoning, text, calls }: ExportTurn): OpenaiMessage[] {
  const thought = reasoning === null ? {} : { reasoning_content: reasoning };
  if (calls.length === 0) return [{ role: 'assistant', content: text, ...thought }];
  const tool_calls = calls.map(({ id, name, input }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: canonicalJson(input) },
  }));
  return [
    { role: 'assistant', content: text === '' ? null : text, ...thought, tool_calls },
    ...calls.map(
      ({ id, observation }): OpenaiMessage => ({ role: 'tool', tool_call_id: id, content: observation }),
    ),
  ];
}

/** Converts a run to an ATIF 1.7 document without absent fields; costs are in `cost_usd`. */
function renderAtif(run: ExportRun, version: string): AtifTrajectory {
  const question: AtifStep = { step_id: 1, source: 'user', message: run.question };
  return atifTrajectorySchema.parse({
    schema_version: atifWrittenVersion,
    session_id: run.id,
    trajectory_id: run.id,
    agent: { name: 'coa-distill', version },
    steps: [question, ...run.turns.map((turn, at) => stepOf(turn, at + 2))],
    ...(run.totals && {
      final_metrics: {
        total_prompt_tokens: run.totals.prompt_tokens,
        total_completion_tokens: run.totals.completion_tokens,
        total_cached_tokens: run.totals.cached_tokens,
        total_cost_usd: run.totals.cost_usd,
        total_steps: run.turns.length + 1,
      },
    }),
    extra: { [OWN_KEY]: run.own as unknown as JsonObject },
  });
}

function stepOf({ reasoning, text, calls, figures }: ExportTurn, step_id: number): AtifStep {
  return {
    step_id,
    source: 'agent',
    message: text,
    ...(figures?.started_at && { timestamp: figures.started_at }),
    ...(figures?.model && { model_name: figures.model }),
    ...(reasoning !== null && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, input }) => ({
        tool_call_id: id,
        function_name: name,
        arguments: input,
      })),
      observation: {
        results: calls.map(({ id, observation }) => ({ source_call_id: id, content: observation })),
      },
    }),
    ...(figures && {
      metrics: { ...figures.usage, cost_usd: figures.cost_usd },
      llm_call_count: figures.model_calls,
      extra: { role: figures.role },
    }),
  };
}
