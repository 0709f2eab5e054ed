import type { Clock } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import type { ChatModel, Sampling } from '../../contract/chatModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Teacher } from '../../contract/teacher.ts';
import type { Tool } from '../../contract/tool.ts';
import { type Profile, toolTags } from '../../schemas/coa/profile.ts';
import type { Promises } from '../../schemas/config/resolved/promises.ts';
import type { TeacherConfig } from '../../schemas/config/teacher.ts';
import { wantsThink } from '../../schemas/roleAnswers.ts';
import type { Task } from '../../schemas/task.ts';
import type { Role, Trace } from '../../schemas/trace.ts';
import { callTool as askTool, toolOf } from '../solving/callTool.ts';
import { solveTask } from '../solving/solveTask.ts';
import { type AskContext, askRole } from './askRole.ts';
import { type MergedChoice, mergedAsk } from './mergedAsk.ts';
import { nextActions } from './nextActions.ts';
import { actionAsk, offered, orchestratorAsk, toolAsk } from './roleAsks.ts';
import { isTool, roleOfAction, type TeamRole, type TeamState, type Turn } from './teamState.ts';
import { toolTurn, turnsBeforeAnswer, writtenTurn } from './turnsOfTrace.ts';

export interface MultiAgentTeacherOptions {
  readonly modelFor: (role: Role) => ChatModel;
  readonly samplingFor: (role: Role) => Sampling;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly profileOf: (name: string) => Profile | undefined;
  /** Filter rules that the team follows, by profile. Default: none. */
  readonly promisesOf?: (profile: Profile) => Promises | undefined;
  /** Layout of conversations. Default: `shared`. */
  readonly layout?: TeacherConfig['layout'];
  /**
   * True for roles whose actions are selected and executed in one answer of the orchestrator's model. Default: none.
   */
  readonly isMerged?: (role: TeamRole) => boolean;
  /** True if all merged turns send one schema. Default: that of the allowed actions. */
  readonly hasOneSchema?: boolean;
  /** Maximum requests for one usable answer. */
  readonly maxAsks: number;
  readonly budget: TeacherConfig['budget'];
  readonly clock: Clock;
}

/** Teacher name in traces of the team. */
const TEACHER_NAME = 'multi_agent';

/**
 * Creates the multi-agent teacher: a state machine over a profile's table that only takes actions allowed by the
 * grammar.
 */
export function createMultiAgentTeacher(options: MultiAgentTeacherOptions): Teacher {
  return {
    solve: (task, context) =>
      solveTask(task, context, { ...options, teacher: TEACHER_NAME }, async (solving) => ({
        final_answer: await work(task, options, { ...options, ...solving }, context.wrongTry),
      })),
  };
}

/** Takes turns until the answer is final; a second try continues after the first one's answer. */
async function work(
  task: Task,
  options: MultiAgentTeacherOptions,
  context: TurnContext,
  wrongTry: Trace | undefined,
): Promise<string> {
  const profile = options.profileOf(task.profile);
  if (!profile) throw new Error(`no profile is named ${task.profile}`);
  const { max_steps } = options.budget;
  const first = wrongTry && turnsBeforeAnswer(wrongTry, profile);
  if (wrongTry && first) context.recorder.takeOver(first.events, wrongTry.messages);
  const turns: Turn[] = [...(first?.turns ?? [])];
  const before = turns.length;
  const exhausted: string[] = [];
  const { layout } = options;
  const tools = toolTags(profile)
    .flatMap((tag) => options.tools.get(tag) ?? [])
    .map((tool) => offered(tool, { profile }));
  const hint = wrongTry && { after: before, answer: wrongTry.final_answer };
  for (;;) {
    const taken = turns.length - before;
    const promises = options.promisesOf?.(profile);
    const stepsLeft = max_steps - taken;
    const { question } = task;
    const state = { profile, question, turns, stepsLeft, layout, tools, promises, exhausted, hint };
    const next = nextActions(state);
    if (next.kind === 'finished') return next.answer;
    if (next.kind === 'out_of_steps') throw outOfSteps(taken, max_steps);
    if (next.kind === 'exhausted') throw nothingNew(exhausted);
    const turn = await takeTurn(state, next.allowed, next.mustFinish, context);
    if (typeof turn === 'string') exhausted.push(turn);
    else {
      turns.push(turn);
      exhausted.length = 0;
    }
  }
}

function outOfSteps(taken: number, maxSteps: number): RecordFailure {
  const message = `no answer after ${taken} actions, and budget.max_steps = ${maxSteps} leaves too few for one`;
  return new RecordFailure('budget_steps', message, { actions: taken });
}

function nothingNew(tools: readonly string[]): RecordFailure {
  const message = `every input that the team tried for ${tools.join(', ')} was used before`;
  return new RecordFailure('malformed_answer', message, { tools: [...tools] });
}

/** Context of a turn: asking, and the tools. */
interface TurnContext extends AskContext, Pick<MultiAgentTeacherOptions, 'isMerged' | 'hasOneSchema'> {
  readonly tools: ReadonlyMap<string, Tool>;
}

/** Selects an allowed action and executes it; returns the tool's name if it found no new input. */
async function takeTurn(
  state: TeamState,
  allowed: readonly string[],
  mustFinish: boolean,
  context: TurnContext,
): Promise<Turn | string> {
  const { profile } = state;
  const { tools, hasOneSchema, isMerged: isOwn = () => false } = context;
  if (allowed.some((action) => isOwn(roleOfAction(profile, action)))) {
    const choice = { allowed, mustFinish, isOwn, hasOneSchema, toolOf: (tag: string) => toolOf(tools, tag) };
    return takeMergedTurn(state, choice, context);
  }
  const only = allowed.length === 1 ? allowed[0] : undefined;
  // The orchestrator's thinking precedes a tool call; the other roles think for themselves.
  const chosen =
    only === undefined || (isTool(profile, only) && wantsThink(profile, only))
      ? await askRole(orchestratorAsk(state, allowed, mustFinish), context)
      : { next: only, think: null };
  return takeAction(state, chosen.next, chosen.think, context);
}

/** Variant in which one model selects and executes the action. */
async function takeMergedTurn(
  state: TeamState,
  choice: MergedChoice,
  context: TurnContext,
): Promise<Turn | string> {
  const { action, think, answer, input, isExhausted } = await askRole(mergedAsk(state, choice), context);
  if (isExhausted) return action;
  if (answer) return writtenTurn(state.profile, action, answer);
  if (input) return callTool(state, action, { think, input }, context);
  return takeAction(state, action, think, context);
}

/** Executes an action by its agent. */
async function takeAction(
  state: TeamState,
  action: string,
  think: string | null,
  context: TurnContext,
): Promise<Turn | string> {
  if (!isTool(state.profile, action)) return act(state, action, context);
  const input = await askRole(toolAsk(state, toolOf(context.tools, action), think), context);
  return input ? callTool(state, action, { think, input }, context) : action;
}

async function act(state: TeamState, action: string, context: AskContext): Promise<Turn> {
  return writtenTurn(state.profile, action, (await askRole(actionAsk(state, action), context)) as JsonObject);
}

async function callTool(
  state: TeamState,
  action: string,
  { think, input }: { readonly think: string | null; readonly input: JsonObject },
  context: TurnContext,
): Promise<Turn> {
  const goal = { question: state.question, ...(think !== null && { thinking: think }) };
  const observation = await askTool(toolOf(context.tools, action), input, goal, context);
  return toolTurn(state.profile, action, think, { input, observation });
}
