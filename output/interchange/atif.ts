import { z } from 'zod';
import { type JsonObject, type JsonValue, jsonObjectSchema } from '../../base/json.ts';
import {
  type AtifStep,
  type AtifTrajectory,
  atifTrajectorySchema,
  atifWrittenVersion,
} from '../../schemas/interchange/atif.ts';
import { OWN_KEY } from '../../schemas/interchange/ownRun.ts';
import type { AgentCallEvent, ToolCallEvent, Trace } from '../../schemas/trace.ts';
import type { ExportRun, ExportTurn } from './exportRun.ts';

/** A run as an ATIF 1.7 document; absent fields are left out, costs are in `cost_usd`. */
export function renderAtif(run: ExportRun, version: string): AtifTrajectory {
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

const rootSchema = z.object({
  root: jsonObjectSchema,
  left: z.array(z.object({ at: z.int(), step: jsonObjectSchema })),
});
const keptStepSchema = z.object({
  at: z.int(),
  step: z.looseObject({ observation: jsonObjectSchema.optional() }),
});
const unheldSchema = z.object({ call: z.int(), observation: z.string() });
const keptCallSchema = z.object({ call_id: z.string() });

/**
 * The ATIF document that a trace was imported from, as 1.7: the texts from the trace's events, everything else from
 * what the import kept. Undefined for traces from elsewhere.
 */
export function restoreAtif(trace: Trace): AtifTrajectory | undefined {
  const kept = rootSchema.safeParse(trace.extra?.atif);
  if (!kept.success) return undefined;
  const steps = new Map<number, JsonObject>();
  for (const { at, step } of kept.data.left) steps.set(at, step);
  for (const { at, step } of agentSteps(trace)) steps.set(at, step);
  const ordered = [...steps].sort(([a], [b]) => a - b).map(([at, step]) => ({ ...step, step_id: at + 1 }));
  const { schema_version: _, ...root } = kept.data.root;
  return withoutNulls(
    atifTrajectorySchema.parse({ schema_version: atifWrittenVersion, ...root, steps: ordered }),
  );
}

function agentSteps({ events }: Trace): { at: number; step: JsonObject }[] {
  const observations = new Map<string, string>();
  const steps: { at: number; step: JsonObject }[] = [];
  let current: { call: AgentCallEvent; at: number; kept: JsonObject } | undefined;
  const close = () => {
    if (current) steps.push({ at: current.at, step: restoredStep(current.call, current.kept, observations) });
    observations.clear();
    current = undefined;
  };
  for (const event of events) {
    if (event.type === 'tool_call') holdObservation(event, observations);
    else {
      const kept = keptStepSchema.safeParse(event.extra?.atif);
      if (!kept.success) continue;
      close();
      current = { call: event, at: kept.data.at, kept: kept.data.step as JsonObject };
      holdUnheld(event, current.kept, observations);
    }
  }
  close();
  return steps;
}

function holdObservation(event: ToolCallEvent, observations: Map<string, string>): void {
  const kept = keptCallSchema.safeParse(event.extra?.atif);
  if (kept.success && event.observation !== null) observations.set(kept.data.call_id, event.observation);
}

/** Results of calls that became an action or went to a sub-agent: no tool call of the trace holds them. */
function holdUnheld(event: AgentCallEvent, step: JsonObject, observations: Map<string, string>): void {
  const unheld = z.array(unheldSchema).safeParse(event.extra?.unheld_results);
  const calls = step.tool_calls as readonly JsonObject[] | undefined;
  for (const { call, observation } of unheld.data ?? []) {
    const id = calls?.[call]?.tool_call_id;
    if (typeof id === 'string') observations.set(id, observation);
  }
}

function restoredStep(
  call: AgentCallEvent,
  kept: JsonObject,
  observations: ReadonlyMap<string, string>,
): JsonObject {
  const { observation, ...rest } = kept;
  return {
    source: 'agent',
    message: call.content ?? '',
    ...(call.reasoning !== null && { reasoning_content: call.reasoning }),
    ...rest,
    ...(observation !== undefined && { observation: filled(observation, observations) }),
  };
}

function filled(observation: JsonValue, observations: ReadonlyMap<string, string>): JsonValue {
  const { results } = observation as { results: readonly JsonObject[] };
  return {
    results: results.map(({ content_held, ...result }) => {
      const content = observations.get(result.source_call_id as string);
      return content_held === true && content !== undefined ? { ...result, content } : result;
    }),
  };
}

/** The same document without members that are null: what Harbor calls `exclude_none`. */
export function withoutNulls(document: AtifTrajectory): AtifTrajectory {
  return strip(document as unknown as JsonValue) as unknown as AtifTrajectory;
}

/** What stands under these keys is the producer's own and stays as it is. */
const opaqueKeys = new Set(['extra', 'arguments', 'tool_definitions']);

function strip(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(strip);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(
    members.map(([key, member]) => [key, opaqueKeys.has(key) ? member : strip(member as JsonValue)]),
  );
}
