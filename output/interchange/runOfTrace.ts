import { serializeBlocks } from '../../schemas/coa/layout.ts';
import { type Profile, tagOfKind, tagRule } from '../../schemas/coa/profile.ts';
import { bodyOfAnswer, isAction } from '../../schemas/interchange/actionAnswer.ts';
import type { AgentCallEvent, ToolCallEvent, Trace } from '../../schemas/trace.ts';
import type { ExportCall, ExportRun, ExportTurn } from './exportRun.ts';

/**
 * A trace as turns: one a model call that succeeded, with the tools' calls that follow it. An action's words stand
 * between the profile's tags, thinking stands apart. Failed calls are left out, and a tool's failed call with them.
 */
export function runOfTrace(trace: Trace, profile: Profile): ExportRun {
  const turns: { call: AgentCallEvent | undefined; tools: ToolCallEvent[] }[] = [];
  for (const event of trace.events) {
    if (event.failure !== null) continue;
    if (event.type === 'agent_call') turns.push({ call: event, tools: [] });
    else if (turns.length > 0) turns.at(-1)!.tools.push(event);
    else turns.push({ call: undefined, tools: [event] });
  }
  const { task, teacher, final_answer, totals } = trace;
  return {
    id: trace.id,
    question: task.question,
    own: { task, teacher, final_answer },
    turns: [...turns.map(({ call, tools }) => turnOf(call, tools, profile)), ...closingTurn(trace, profile)],
    totals,
  };
}

function turnOf(
  call: AgentCallEvent | undefined,
  tools: readonly ToolCallEvent[],
  profile: Profile,
): ExportTurn {
  const think = call?.answer?.think;
  return {
    reasoning: typeof think === 'string' ? think : null,
    text: call ? actionText(call, profile) : '',
    calls: tools.flatMap(callOf),
    figures: call
      ? {
          role: call.role,
          model: call.model,
          started_at: call.started_at,
          usage: call.usage,
          cost_usd: call.cost_usd,
          model_calls: 1 + call.malformed.length,
        }
      : null,
  };
}

function actionText({ action, answer }: AgentCallEvent, profile: Profile): string {
  const rule = action === null ? undefined : tagRule(profile, action);
  const body = rule && isAction(rule) && answer ? bodyOfAnswer(rule, answer) : undefined;
  return rule && body !== undefined ? serializeBlocks([{ tag: rule.tag, origin: 'model', body }]) : '';
}

function callOf({ id, tool, input, observation }: ToolCallEvent): ExportCall[] {
  return observation === null ? [] : [{ id, name: tool, input, observation }];
}

/** Where the last suggested answer is the answer nobody is asked for it again; a conversation ends with it all the same. */
function closingTurn({ events, final_answer }: Trace, profile: Profile): ExportTurn[] {
  const tag = tagOfKind(profile, 'answer');
  const isSaid = events.some(
    (event) => event.type === 'agent_call' && event.action === tag && event.failure === null,
  );
  if (tag === undefined || isSaid || final_answer.trim() === '') return [];
  const text = serializeBlocks([{ tag, origin: 'model', body: final_answer }]);
  return [{ reasoning: null, text, calls: [], figures: null }];
}
