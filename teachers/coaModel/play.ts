import { RecordFailure } from '../../contract/errors.ts';
import { answerText } from '../../schemas/coa/answers.ts';
import { parseBlocks } from '../../schemas/coa/parse.ts';
import {
  answerStart,
  observationSegment,
  type PlayedSegment,
  stepSegments,
} from '../../schemas/coa/play/playedSegments.ts';
import { askedTurns } from '../../schemas/coa/play/turnTexts.ts';
import { type Profile, tagOfKind, tagRule } from '../../schemas/coa/profile.ts';
import { type FailureCause, isOfPlayer } from '../../schemas/failureCauses.ts';
import type { Task } from '../../schemas/task.ts';
import type { Segment } from '../../schemas/trajectory.ts';
import { callTool } from '../solving/callTool.ts';
import type { Solution, Solving } from '../solving/solveTask.ts';
import type { CoaModelOptions } from './coaModelOptions.ts';
import type { Played } from './stepRequest.ts';
import { type TakenStep, takeStep } from './takeStep.ts';
import type { ToolRequest } from './toolRequest.ts';

/** Limits that leave room for an answer. */
const limitsWithRoom: ReadonlySet<FailureCause> = new Set(['budget_steps', 'budget_calls']);

/** Plays one task to the answer. */
export class Play {
  readonly #task: Task;
  readonly #options: CoaModelOptions;
  readonly #solving: Solving;
  readonly #played: Played & { readonly segments: Segment[] };
  /** Tools of the steps so far. */
  readonly #called: string[] = [];
  #brokenSteps = 0;

  constructor(task: Task, profile: Profile, options: CoaModelOptions, solving: Solving) {
    this.#task = task;
    this.#options = options;
    this.#solving = solving;
    this.#played = {
      profile,
      turns: askedTurns(profile, task.question, options.systemPrompt).turns,
      segments: [],
    };
  }

  /** Plays on; throws the failure that ended it without an answer. */
  async toEnd(): Promise<Solution> {
    try {
      return await this.#steps();
    } catch (error) {
      const failure = this.#solving.budget.timeFailure() ?? error;
      if (!(failure instanceof RecordFailure) || !isOfPlayer(failure.failure.cause)) throw error;
      const other = (await this.#forcedAnswer(failure)) ?? this.#suggestedAnswer(failure);
      if (other) return other;
      throw failure;
    }
  }

  async #steps(): Promise<Solution> {
    const { max_steps } = this.#options.budget;
    const { max_tool_calls = max_steps } = this.#options.player;
    let calls = 0;
    for (let steps = 0; steps < max_steps; steps++) {
      const before = this.#text();
      const { answer, end, goesOn, call } = await this.#step();
      if (goesOn) continue;
      if (!call) return { final_answer: answerText(this.#task.domain, end.body) };
      if (calls === max_tool_calls) throw outOf('budget_calls', 'tool calls', 'player.max_tool_calls', calls);
      const warning = this.#warningOf(answer.text, before);
      if (warning === undefined) await this.#observe(call, end);
      else this.#showInstead(warning, call, end);
      this.#called.push(end.tag);
      calls++;
    }
    throw outOf('budget_steps', 'steps', 'budget.max_steps', max_steps);
  }

  async #step(options: { readonly forced?: boolean } = {}): Promise<TakenStep> {
    for (;;) {
      const leavesBrokenOut = this.#brokenSteps + 1 < this.#options.player.broken_steps;
      const step = await takeStep(this.#played, this.#options, this.#solving, {
        ...options,
        leavesBrokenOut,
      });
      if (step.failure && leavesBrokenOut) {
        this.#brokenSteps++;
        continue;
      }
      this.#add(stepSegments(this.#played.profile, step.answer));
      if (step.failure) throw step.failure;
      return step;
    }
  }

  #warningOf(text: string, before: string): string | undefined {
    const { repeats_before_warning: most } = this.#options.player;
    const thought = tagOfKind(this.#played.profile, 'thinking');
    const thoughtEnd = thought && `</${thought}>`;
    if (most === undefined) return undefined;
    return repeatWarning({ text, thoughtEnd, before, tools: this.#called, most });
  }

  async #observe(call: ToolRequest, end: TakenStep['end']): Promise<void> {
    const { tool, input } = call;
    const { profile, segments } = this.#played;
    const thought = segments.findLast((segment) => tagRule(profile, segment.tag)?.kind === 'thinking');
    const goal = { question: this.#task.question, ...(thought && { thinking: bodyOf(thought) }) };
    if (input.ok) {
      this.#add([observed(profile, await callTool(tool, input.input, goal, this.#solving))]);
      return;
    }
    this.#showInstead(`Invalid input of ${end.tag}: ${input.error}`, call, end);
  }

  /** Shows the model our own text instead of a tool result. */
  #showInstead(observation: string, { input }: ToolRequest, { tag, body }: TakenStep['end']): void {
    const { recorder } = this.#solving;
    const given = input.ok ? input.input : { text: body };
    const call = { tool: tag, input: given, observation, raw: null, cached: false, failure: null };
    recorder.toolCall(call, recorder.start());
    this.#add([observed(this.#played.profile, observation)]);
  }

  #text(): string {
    return this.#played.segments.map(({ text }) => text).join('');
  }

  /** Takes one more step, which starts inside the answer. */
  async #forcedAnswer(failure: RecordFailure): Promise<Solution | undefined> {
    if (!this.#options.player.forced_answer || !limitsWithRoom.has(failure.failure.cause)) return undefined;
    const { end } = await this.#step({ forced: true });
    // If the model repeated the start tag, the answer follows it.
    const body = end.body.split(answerStart(this.#played.profile)).at(-1)!;
    const final_answer = answerText(this.#task.domain, body);
    return { final_answer, ending: { by: 'forced_answer', failure: failure.failure } };
  }

  #suggestedAnswer(failure: RecordFailure): Solution | undefined {
    if (!this.#options.player.suggested_as_answer) return undefined;
    const { profile, segments } = this.#played;
    const suggestion = segments
      .flatMap(({ text }) => parseBlocks(profile, text).blocks)
      .findLast(({ tag }) => tagRule(profile, tag)?.kind === 'suggested_answer');
    if (!suggestion) return undefined;
    const final_answer = suggestion.body.trim();
    return { final_answer, ending: { by: 'suggested_answer', failure: failure.failure } };
  }

  #add(segments: readonly PlayedSegment[]): void {
    const event = this.#solving.recorder.events.at(-1)!.id;
    this.#played.segments.push(...segments.map(({ tag, origin, text }) => ({ tag, origin, text, event })));
  }
}

function outOf(
  cause: 'budget_steps' | 'budget_calls',
  what: string,
  key: string,
  most: number,
): RecordFailure {
  return new RecordFailure(cause, `no answer within ${most} ${what} (teacher.${key} = ${most})`, {
    [what]: most,
  });
}

function observed(profile: Profile, shown: string): PlayedSegment {
  const observation = observationSegment(profile, shown);
  if (!observation) throw new Error(`the profile ${profile.name} has tools and no observation`);
  return observation.segment;
}

/** Content of a thinking block. */
function bodyOf({ tag, text }: Segment): string {
  return text.replace(`<${tag}>`, '').split(`</${tag}>`)[0]!.trim();
}

/** A step and the preceding trajectory. */
interface Repeated {
  readonly text: string;
  /** End tag of the profile's thoughts; undefined without one. */
  readonly thoughtEnd: string | undefined;
  /** The trajectory before the step. */
  readonly before: string;
  /** Tools of all previous steps, warned ones included. */
  readonly tools: readonly string[];
  /** Maximum consecutive steps with one tool before a warning. */
  readonly most: number;
}

/**
 * Text shown in place of a result, by the rules of AFM's driver (`inference_web_agent.py`, lines 202 and 210) in our
 * own words; undefined if the call is made.
 */
function repeatWarning({ text, thoughtEnd, before, tools, most }: Repeated): string | undefined {
  const last = tools.slice(-most);
  if (tools.length >= most && new Set(last).size === 1)
    return `This call was not made: the ${most} steps before it all called ${last[0]}. Go on in another way.`;
  const call = (thoughtEnd === undefined ? text : text.split(thoughtEnd).at(-1)!).trim();
  if (!before.includes(call)) return undefined;
  return 'This call was not made: it stands above already. Go on in another way.';
}
