import type { JsonObject } from '../../base/json.ts';
import { gradesBody, scoreBody, toolBody } from '../../schemas/coa/bodies.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { AgentCallEvent, ToolCallEvent, Trace, TraceEvent } from '../../schemas/trace.ts';
import { nextActions } from './nextActions.ts';
import { actionKind, type Turn } from './teamState.ts';

/** Turn of an agent's own text. */
export function writtenTurn(profile: Profile, tag: string, answer: JsonObject): Turn {
  const think = typeof answer.think === 'string' ? answer.think : null;
  return { tag, body: bodyOf(profile, tag, answer), think, call: null };
}

/** Text of an action; the state machine reads grades and scores in it. */
function bodyOf(profile: Profile, action: string, answer: JsonObject): string {
  switch (actionKind(profile, action)) {
    case 'plan':
      return String(answer.plan);
    case 'verification':
      return scoreBody(Number(answer.score));
    case 'reflection':
      return tagRule(profile, action)?.body === 'grades'
        ? gradesBody(answer as Readonly<Record<string, string>>)
        : String(answer.reflection);
    default:
      return String(answer.answer);
  }
}

/** Turn of a tool that the orchestrator chose, with its thinking. */
export function toolTurn(
  profile: Profile,
  tag: string,
  think: string | null,
  call: NonNullable<Turn['call']>,
): Turn {
  return { tag, body: toolBody(tagRule(profile, tag)!.body, call.input), think, call };
}

/** Turns of a team before the action that ended the work: the answer, or the double check that confirmed it. */
export function turnsBeforeAnswer(
  trace: Pick<Trace, 'events' | 'task'>,
  profile: Profile,
): { readonly turns: readonly Turn[]; readonly events: readonly TraceEvent[] } {
  const taken = turnsOfEvents(trace.events, profile);
  const { question } = trace.task;
  const isFinished = () => {
    const turns = taken.map(({ turn }) => turn);
    return nextActions({ profile, question, turns, stepsLeft: Number.POSITIVE_INFINITY }).kind === 'finished';
  };
  while (taken.length > 0 && isFinished()) taken.pop();
  return {
    turns: taken.map(({ turn }) => turn),
    events: trace.events.slice(0, taken.at(-1)?.end ?? 0),
  };
}

/** Turns of a team's events, each with the number of events up to its end. */
function turnsOfEvents(events: readonly TraceEvent[], profile: Profile): { turn: Turn; end: number }[] {
  let think: string | null = null;
  return events.flatMap((event, at) => {
    if (event.type === 'agent_call' && event.role === 'orchestrator') {
      think = thinkOf(event);
      return [];
    }
    const turn = turnOf(event, think, profile);
    if (!turn) return [];
    think = null;
    return [{ turn, end: at + 1 }];
  });
}

function turnOf(
  event: AgentCallEvent | ToolCallEvent,
  think: string | null,
  profile: Profile,
): Turn | undefined {
  if (event.type === 'tool_call') {
    const { tool, input, observation } = event;
    return toolTurn(profile, tool, think, { input, observation: observation ?? '' });
  }
  if (event.role === 'tool_agent' || event.action === null) return undefined;
  return writtenTurn(profile, event.action, event.answer ?? {});
}

function thinkOf({ answer }: AgentCallEvent): string | null {
  return typeof answer?.think === 'string' ? answer.think : null;
}
