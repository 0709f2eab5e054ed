import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import type { ChatModel, Sampling } from '../../contract/chatModel.ts';
import { failureOf, RecordFailure, RunHalted } from '../../contract/errors.ts';
import type { Teacher } from '../../contract/teacher.ts';
import type { Tool, ToolGoal } from '../../contract/tool.ts';
import { gradesBody, scoreBody, toolBody } from '../../schemas/coa/bodies.ts';
import { type Profile, tagRule } from '../../schemas/coa/profile.ts';
import type { TeacherConfig } from '../../schemas/config/teacher.ts';
import { wantsThink } from '../../schemas/roleAnswers.ts';
import type { Task } from '../../schemas/task.ts';
import { type Role, type TaskRollout, type Trace, taskRollout, traceId } from '../../schemas/trace.ts';
import { type AskContext, askRole } from './askRole.ts';
import { startBudget } from './budget.ts';
import { nextActions } from './nextActions.ts';
import { actionAsk, orchestratorAsk, toolAsk } from './roleAsks.ts';
import { actionKind, type TeamState, type Turn } from './teamState.ts';
import { TraceRecorder } from './traceRecorder.ts';

/** What the team is made of. */
export interface MultiAgentTeacherOptions {
  readonly modelFor: (role: Role) => ChatModel;
  readonly samplingFor: (role: Role) => Sampling;
  /** By the tag that calls them. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly profileOf: (name: string) => Profile | undefined;
  /** Most asks for one usable answer. */
  readonly maxAsks: number;
  /** Limits of one task. */
  readonly budget: TeacherConfig['budget'];
  readonly clock: Clock;
}

/** What traces of the team say of who made them. */
const TEACHER_NAME = 'multi_agent';

/**
 * Creates the multi-agent teacher: one state machine over a profile's table, which can only take actions that the
 * profile's grammar allows.
 */
export function createMultiAgentTeacher(options: MultiAgentTeacherOptions): Teacher {
  return {
    async solve(task, { signal, attempt = 0, rollout = 0 }) {
      signal.throwIfAborted();
      const of = taskRollout({ task_id: task.id, rollout });
      const recorder = new TraceRecorder(of, options.clock);
      const budget = startBudget(options.budget, options.clock, signal);
      try {
        const answer = await work(task, options, {
          ...options,
          budget,
          recorder,
          work: { ...of, attempt },
        });
        return { kind: 'solved', trace: traceOf(of, task, answer, recorder) };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof UserError || error instanceof RunHalted) throw error;
        return {
          kind: 'failed',
          failure: failureOf(budget.timeFailure() ?? error),
          partial: recorder.partial(),
        };
      } finally {
        budget.end();
      }
    },
  };
}

/** Takes turns until the answer stands. */
async function work(task: Task, options: MultiAgentTeacherOptions, context: TurnContext): Promise<string> {
  const profile = options.profileOf(task.profile);
  if (!profile) throw new Error(`no profile is named ${task.profile}`);
  const { max_steps } = options.budget;
  const turns: Turn[] = [];
  for (;;) {
    const state = { profile, question: task.question, turns, stepsLeft: max_steps - turns.length };
    const next = nextActions(state);
    if (next.kind === 'finished') return next.answer;
    if (next.kind === 'out_of_steps') throw outOfSteps(turns.length, max_steps);
    turns.push(await takeTurn(state, next.allowed, next.mustFinish, context));
  }
}

function outOfSteps(taken: number, maxSteps: number): RecordFailure {
  const message = `no answer after ${taken} actions, and budget.max_steps = ${maxSteps} leaves too few for one`;
  return new RecordFailure('budget_steps', message, { actions: taken });
}

function traceOf(of: TaskRollout, task: Task, answer: string, recorder: TraceRecorder): Trace {
  const { events, messages } = recorder;
  return {
    id: traceId(of, events),
    ...of,
    task,
    profile: task.profile,
    teacher: TEACHER_NAME,
    final_answer: answer,
    events,
    messages,
    totals: recorder.totals(),
  };
}

/** What taking a turn needs: asking, and the tools. */
interface TurnContext extends AskContext {
  readonly tools: ReadonlyMap<string, Tool>;
}

/** Picks one of the allowed actions and has its agent take it. */
async function takeTurn(
  state: TeamState,
  allowed: readonly string[],
  mustFinish: boolean,
  context: TurnContext,
): Promise<Turn> {
  const only = allowed.length === 1 ? allowed[0] : undefined;
  // The orchestrator's thinking is what stands before a tool call; the other roles think for themselves.
  const chosen =
    only === undefined || (isTool(state.profile, only) && wantsThink(state.profile, only))
      ? await askRole(orchestratorAsk(state, allowed, mustFinish), context)
      : { next: only, think: null };
  return isTool(state.profile, chosen.next)
    ? callTool(state, chosen.next, chosen.think, context)
    : act(state, chosen.next, context);
}

function isTool(profile: Profile, action: string): boolean {
  return actionKind(profile, action) === 'tool';
}

async function act(state: TeamState, action: string, context: AskContext): Promise<Turn> {
  const answer = (await askRole(actionAsk(state, action), context)) as JsonObject;
  const think = typeof answer.think === 'string' ? answer.think : null;
  return { tag: action, body: bodyOf(state.profile, action, answer), think, call: null };
}

/** The action's words; the machine reads grades and scores in them. */
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

async function callTool(
  state: TeamState,
  action: string,
  think: string | null,
  context: TurnContext,
): Promise<Turn> {
  const tool = context.tools.get(action);
  if (!tool) throw new RecordFailure('tool_unavailable', `no tool is configured for <${action}>`);
  const input = await askRole(toolAsk(state, tool, think), context);
  const goal = { question: state.question, ...(think !== null && { thinking: think }) };
  const observation = await observe(tool, input, goal, context);
  const body = toolBody(tagRule(state.profile, action)!.body, input);
  return { tag: action, body, think, call: { input, observation } };
}

/** Calls the tool and records it, failed or not. */
async function observe(tool: Tool, input: JsonObject, goal: ToolGoal, context: TurnContext): Promise<string> {
  const { recorder, budget, work } = context;
  const start = recorder.start();
  try {
    const { observation, raw, cached = false } = await tool.call(input, budget.signal, work, goal);
    recorder.toolCall({ tool: tool.name, input, observation, raw, cached, failure: null }, start);
    return observation;
  } catch (error) {
    const failed = budget.timeFailure() ?? error;
    // The work stays pending, or the run ends: no record is to blame.
    if (budget.signal.aborted ? failed === error : endsTheRun(error)) throw error;
    const failure = failureOf(failed);
    recorder.toolCall(
      { tool: tool.name, input, observation: null, raw: null, cached: false, failure },
      start,
    );
    throw failed;
  }
}

function endsTheRun(error: unknown): boolean {
  return error instanceof RunHalted || error instanceof UserError;
}
