import type { JsonObject, JsonValue } from '../../base/json.ts';
import { type OagentsRow, type OagentsStep, oagentsRowSchema } from '../../schemas/interchange/oagents.ts';
import { parseRow, refusal } from './rowRefusal.ts';
import { type ForeignCall, type ForeignRun, type ForeignTurn, unknownFigures } from './runs/foreignRun.ts';
import { SubAgentRecords } from './subAgentRecords.ts';

type ActionStep = Extract<OagentsStep, { step_type: 'action' }>;
type StepCall = NonNullable<ActionStep['tool_calls']>[number];

/**
 * Reads a log of OAgents. A planning step is the plan, its `facts` the thought before it; an action step's
 * `model_output` is the thought before its calls; what a sub-agent did is looked up by the subtask's text and takes the
 * place of the call to it. Scores of steps and everything else are kept in the trace's `extra`.
 */
export function readOagents(value: JsonValue): ForeignRun {
  const row = parseRow(oagentsRowSchema, value);
  refuseFailed(row);
  const { question, true_answer, task_id, agent_name, intermediate_steps, ...others } = row;
  const { search_agent_actions: _, ...rest } = others;
  const records = new SubAgentRecords(row);
  const turns = intermediate_steps.flatMap((step, at) => turnsOf(step, `intermediate_steps[${at}]`, records));
  records.refuseUnlinked();
  return {
    ...(task_id != null && { given_id: String(task_id) }),
    question,
    answers: true_answer == null ? [] : [String(true_answer)],
    teacher: agent_name == null ? 'oagents' : `oagents ${agent_name}`,
    turns: [...turns, ...predictionTurn(row, turns)],
    extra: { oagents: rest as unknown as JsonObject },
    remarks: [],
  };
}

/** Runs that the log itself says did not come to an end. */
function refuseFailed({ agent_error, parsing_error, iteration_limit_exceeded }: OagentsRow): void {
  if (agent_error != null) throw refusal('failed_run', 'agent_error', agent_error.slice(0, 200));
  if (parsing_error === true) throw refusal('failed_run', 'parsing_error', 'an answer could not be parsed');
  if (iteration_limit_exceeded === true)
    throw refusal('failed_run', 'iteration_limit_exceeded', 'it was cut at its most steps');
}

function turnsOf(step: OagentsStep, path: string, records: SubAgentRecords): ForeignTurn[] {
  if (step.step_type === 'task') return [];
  const turn = { path, calls: [] };
  if (step.step_type === 'planning')
    return [{ ...turn, reasoning: step.facts, text: step.plan, action: 'plan' }];
  const { tool_calls, start_time, duration, score, evaluate_thought, model_output } = step;
  const kept = { ...(score != null && { score }), ...(evaluate_thought != null && { evaluate_thought }) };
  const duration_ms = Math.max(0, (duration ?? 0) * 1000);
  return [
    {
      ...turn,
      text: model_output ?? '',
      calls: (tool_calls ?? []).map((call, nth) => callOf(step, call, `${path}.tool_calls[${nth}]`, records)),
      figures: { ...unknownFigures, started_at: isoTime(start_time), duration_ms },
      ...(Object.keys(kept).length > 0 && { extra: { oagents: kept } }),
    },
  ];
}

/** Seconds since 1970 as ISO 8601; empty for no time, or one that no calendar has. */
function isoTime(seconds: number | null | undefined): string {
  const time = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(time.getTime()) ? '' : time.toISOString();
}

function callOf(step: ActionStep, call: StepCall, path: string, records: SubAgentRecords): ForeignCall {
  const { name, arguments: args } = call.function;
  const input = typeof args === 'string' ? { code: args } : args;
  const subTurns = records.turnsOf(name, input, path);
  const isOnly = step.tool_calls?.length === 1;
  return {
    path,
    name,
    input,
    // The log has one text for all calls of a step: with several, nothing says whose it is.
    observation: isOnly ? (step.observations ?? null) : null,
    ...(subTurns && { subTurns }),
    extra: { oagents: { name, id: call.id ?? null } },
  };
}

/** The prediction as the last turn, where no step gave it by `final_answer`. */
function predictionTurn({ prediction }: OagentsRow, turns: readonly ForeignTurn[]): ForeignTurn[] {
  const answers = turns.some((turn) => turn.calls.some((call) => call.name === 'final_answer'));
  if (answers || prediction == null || prediction === '') return [];
  const text = typeof prediction === 'string' ? prediction : JSON.stringify(prediction);
  return [{ path: 'prediction', text, action: 'answer', calls: [] }];
}
