import type { JsonObject } from '../../base/json.ts';
import { answerText } from '../../schemas/coa/answers.ts';
import { bodyOf, parseJsonBody, parseProgramBody } from '../../schemas/coa/bodies.ts';
import { unescapeStructure } from '../../schemas/coa/escapeStructure.ts';
import { serializeBlocks } from '../../schemas/coa/layout.ts';
import { type Profile, type TagRule, tagOfKind, tagRule } from '../../schemas/coa/profile.ts';
import { structuralTagsOf } from '../../schemas/coa/profileRegistry.ts';
import { bodyOfAnswer, isAction } from '../../schemas/interchange/actionAnswer.ts';
import type { OwnRun } from '../../schemas/interchange/ownRun.ts';
import type { AgentCallEvent, ToolCallEvent, Trace } from '../../schemas/trace.ts';
import type { Segment, Trajectory } from '../../schemas/trajectory.ts';
import type { ExportCall, ExportRun, ExportTurn } from './exportRun.ts';

/**
 * Converts a trace to turns: one per successful model call, followed by its tool calls. Actions are wrapped in the
 * profile's tags; thinking is kept apart. Failed model and tool calls are left out.
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
    own: { task, teacher, final_answer, ...ofRollout(trace) },
    turns: [...turns.map(({ call, tools }) => turnOf(call, tools, profile)), ...closingTurn(trace, profile)],
    totals,
  };
}

/** Rollout number of the trace, if relevant. */
function ofRollout({
  rollout,
  repairs,
  member,
}: Pick<OwnRun, 'rollout' | 'repairs' | 'member'>): Partial<OwnRun> {
  return {
    ...(rollout !== undefined && { rollout }),
    ...(repairs !== undefined && { repairs }),
    ...(member && { member }),
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

function actionText({ role, action, answer }: AgentCallEvent, profile: Profile): string {
  if (role === 'model') return stepText(action, answer?.text, profile);
  const rule = action === null ? undefined : tagRule(profile, action);
  const body = rule && isAction(rule) && answer ? bodyOfAnswer(rule, answer) : undefined;
  return rule && body !== undefined ? serializeBlocks([{ tag: rule.tag, origin: 'model', body }]) : '';
}

/** Text of a student's step; tool calls are kept beside it. */
function stepText(action: string | null, text: unknown, profile: Profile): string {
  if (typeof text !== 'string') return '';
  const isCall = action !== null && tagRule(profile, action)?.kind === 'tool';
  return isCall ? text.slice(0, Math.max(0, text.lastIndexOf(`<${action}>`))).trimEnd() : text;
}

function callOf({ id, tool, input, observation }: ToolCallEvent): ExportCall[] {
  return observation === null ? [] : [{ id, name: tool, input, observation }];
}

/**
 * Adds a closing turn if the last suggested answer is final and was not repeated, since a conversation ends with the
 * answer.
 */
function closingTurn({ events, final_answer }: Trace, profile: Profile): ExportTurn[] {
  const tag = tagOfKind(profile, 'answer');
  const isSaid = events.some(
    (event) => event.type === 'agent_call' && event.action === tag && event.failure === null,
  );
  if (tag === undefined || isSaid || final_answer.trim() === '') return [];
  const text = serializeBlocks([{ tag, origin: 'model', body: final_answer }]);
  return [{ reasoning: null, text, calls: [], figures: null }];
}

/**
 * Converts a trajectory to turns: one per action, with the thinking before it and the tool's result. Unescapes
 * look-alikes.
 */
export function runOfTrajectory(trajectory: Trajectory, profile: Profile): ExportRun {
  const { id, answers, domain, tests, segments } = trajectory;
  const question = unescapeStructure(trajectory.question, structuralTagsOf(profile));
  const final = segments.findLast((segment) => tagRule(profile, segment.tag)?.kind === 'answer');
  const task = {
    id: trajectory.task_id,
    question,
    answers,
    domain,
    profile: profile.name,
    source: { file: 'trajectory', row: 1 },
    ...(tests && { tests }),
  };
  return {
    id,
    question,
    own: {
      task,
      teacher: 'trajectory',
      final_answer: final ? answerText(domain, bodyOf(final)) : '',
      ...ofRollout(trajectory),
    },
    turns: turnsOf(segments, profile),
    totals: null,
  };
}

function turnsOf(segments: readonly Segment[], profile: Profile): ExportTurn[] {
  const turns: ExportTurn[] = [];
  let think: string | null = null;
  for (const [at, segment] of segments.entries()) {
    const rule = tagRule(profile, segment.tag);
    if (!rule || rule.kind === 'observation') continue;
    if (rule.kind === 'thinking') think = bodyOf(segment);
    else {
      const body = bodyOf(segment);
      const said = { reasoning: think, figures: null };
      if (rule.kind === 'tool') {
        const next = segments[at + 1];
        const observation = next?.origin === 'environment' ? observed(profile, next) : '';
        const call = { id: segment.event, name: rule.tag, input: inputOf(rule, body), observation };
        turns.push({ ...said, text: '', calls: [call] });
      } else {
        turns.push({ ...said, text: serializeBlocks([{ tag: rule.tag, origin: 'model', body }]), calls: [] });
      }
      think = null;
    }
  }
  return turns;
}

function observed(profile: Profile, segment: Segment): string {
  return unescapeStructure(bodyOf(segment).replace(/^\n|\n$/g, ''), structuralTagsOf(profile));
}

function inputOf(rule: TagRule, body: string): JsonObject {
  if (rule.body === 'code') return { ...(parseProgramBody(body) ?? { code: body }) };
  if (rule.body === 'json') return parseJsonBody(body) ?? { query: body };
  if (rule.body === 'urls') return { urls: body.split('|').map((url) => url.trim()) };
  return { query: body };
}
