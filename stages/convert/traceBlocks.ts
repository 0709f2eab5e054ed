import type { JsonObject } from '../../base/json.ts';
import { answerBody } from '../../schemas/coa/answers.ts';
import { toolBody } from '../../schemas/coa/bodies.ts';
import { normaliseText } from '../../schemas/coa/layout.ts';
import { allowedActions, isFinal, type TakenAction } from '../../schemas/coa/machine.ts';
import { observedBlock } from '../../schemas/coa/play/turnTexts.ts';
import { type Profile, type TagRule, tagOfKind, tagRule } from '../../schemas/coa/profile.ts';
import type { ConvertConfig } from '../../schemas/config/convert.ts';
import { bodyOfAnswer, isAction } from '../../schemas/interchange/actionAnswer.ts';
import type { Domain } from '../../schemas/task.ts';
import type { AgentCallEvent, ToolCallEvent, Trace } from '../../schemas/trace.ts';
import { flattenEvents, inexpressible } from './flattenEvents.ts';
import type { MeasuredBlock } from './measureQuality.ts';
import { type ThinkingPlace, Thoughts, thoughtOf, type Words } from './thoughts.ts';

/** A block and the event of its text. */
interface EventBlock extends MeasuredBlock {
  readonly event: string;
}

/** Blocks of a trace, and the count of look-alikes escaped in its observations. */
interface TraceBlocks {
  readonly blocks: readonly EventBlock[];
  readonly neutralised: number;
}

/**
 * Turns a trace's events into blocks, in the order of `flattenEvents`. The rule for every event, field and tag is in
 * the table of docs/conversion.md.
 *
 * @throws RecordFailure (`inexpressible`) naming the event for what the grammar has no words for
 */
export function traceBlocks(trace: Trace, profile: Profile, settings: ConvertConfig): TraceBlocks {
  const writer = new BlockWriter(profile, trace.task.domain, settings);
  for (const { event, asker } of flattenEvents(trace.events)) {
    if (event.type === 'tool_call') writer.toolCall(event, asker?.id);
    else if (event.failure === null) writer.agentCall(event);
  }
  return writer.finish(trace);
}

class BlockWriter {
  readonly #profile: Profile;
  readonly #domain: Domain;
  readonly #settings: ConvertConfig;
  readonly #blocks: EventBlock[] = [];
  readonly #taken: TakenAction[] = [];
  readonly #thoughts = new Thoughts();
  #suggested: Words | undefined;
  /** Failed call omitted since the last action. */
  #leftOut: string | undefined;
  #neutralised = 0;

  constructor(profile: Profile, domain: Domain, settings: ConvertConfig) {
    this.#profile = profile;
    this.#domain = domain;
    this.#settings = settings;
  }

  agentCall(event: AgentCallEvent): void {
    if (event.role === 'tool_agent') {
      this.#thoughts.toolAgent(event.id, event.parent);
      return;
    }
    const thought = thoughtOf(event, this.#settings.thinking);
    if (event.role === 'orchestrator') this.#thoughts.orchestrator(event.id, thought);
    else this.#action(event, thought);
  }

  toolCall(event: ToolCallEvent, asker: string | undefined): void {
    const { id, tool, failure } = event;
    const attempt = { asker, tool, failed: failure !== null };
    if (failure && this.#settings.failed_calls === 'leave_out') {
      this.#thoughts.leaveOut(attempt);
      this.#leftOut = id;
      return;
    }
    const rule = this.#rule(tool, id);
    if (rule.kind !== 'tool') throw inexpressible(id, `<${tool}> is not a tool of the profile`);
    const observation = observedText(event);
    const { words, follows } = this.#thoughts.takeFor(attempt, this.#thinkingPlace(tool));
    if (follows) this.#checkOrder(tool, id, `goes back to the same thinking as the call before it`);
    this.#write(rule, toolText(rule, event), id, words, attempt.failed);
    this.#observe(observation, id);
  }

  finish(trace: Trace): TraceBlocks {
    this.#answerAsSuggested();
    const last = this.#taken.at(-1);
    if (!last || !isFinal(this.#profile, last.tag)) {
      throw inexpressible(trace.events.at(-1)?.id ?? null, 'the trace ends without an answer');
    }
    return { blocks: this.#blocks, neutralised: this.#neutralised };
  }

  #action(event: AgentCallEvent, thought: Words | undefined): void {
    const rule = this.#rule(event.action, event.id);
    const body = actionBody(rule, event.answer ?? {}, this.#domain);
    if (body === undefined) {
      throw inexpressible(event.id, `the ${event.role}'s answer has no words for <${event.action}>`);
    }
    this.#thoughts.action();
    this.#write(rule, body, event.id, thought);
    const words = event.answer?.answer;
    if (rule.kind === 'suggested_answer' && typeof words === 'string') {
      this.#suggested = { text: words, event: event.id };
    }
  }

  #observe(observation: string, event: string): void {
    const observed = observedBlock(this.#profile, observation);
    if (!observed) throw inexpressible(event, 'the profile has no observation');
    this.#neutralised += observed.neutralised;
    this.#blocks.push({ ...observed.block, event });
  }

  /** Uses the suggested answer after a passing double check: no agent is asked again. */
  #answerAsSuggested(): void {
    const [next, ...others] = allowedActions(this.#profile, this.#taken);
    const rule = next === undefined ? undefined : tagRule(this.#profile, next);
    if (this.#suggested === undefined || rule?.kind !== 'answer' || others.length > 0) return;
    const { text, event } = this.#suggested;
    this.#write(rule, answerBody(this.#domain, modelText(text)), event, undefined);
  }

  #write({ tag }: TagRule, body: string, event: string, thought?: Words, failed = false): void {
    const last = this.#taken.at(-1);
    if (last && isFinal(this.#profile, last.tag)) throw inexpressible(event, `<${tag}> comes after the end`);
    if (this.#leftOut !== undefined) {
      const why = `comes after the failed call ${this.#leftOut}, which convert.failed_calls leaves out`;
      this.#checkOrder(tag, event, why);
    }
    const place = this.#thinkingPlace(tag);
    if (thought && place !== 'none') this.#think(thought);
    else if (place === 'needed') {
      throw inexpressible(event, `no thinking for <${tag}>, which needs it before it`);
    }
    this.#blocks.push({ tag, origin: 'model', body, event, ...(failed && { failed }) });
    this.#taken.push({ tag, body });
    this.#leftOut = undefined;
  }

  /** Rejects an action that conversion itself, by linearising the trace, moved to an invalid place. */
  #checkOrder(tag: string, event: string, why: string): void {
    const allowed = allowedActions(this.#profile, this.#taken);
    if (allowed.includes(tag)) return;
    const after = this.#taken.at(-1);
    const place = after ? `follow <${after.tag}>` : 'come first';
    throw inexpressible(event, `<${tag}> ${why}, and can't ${place}`);
  }

  #thinkingPlace(tag: string): ThinkingPlace {
    if (this.#profile.think_before.includes(tag)) return 'needed';
    return this.#profile.think_optional_before.includes(tag) ? 'optional' : 'none';
  }

  #think({ text, event }: Words): void {
    const tag = tagOfKind(this.#profile, 'thinking');
    if (tag !== undefined) this.#blocks.push({ tag, origin: 'model', body: modelText(text), event });
  }

  #rule(tag: string | null, event: string): TagRule {
    const rule = tag === null ? undefined : tagRule(this.#profile, tag);
    if (!rule) throw inexpressible(event, `the profile ${this.#profile.name} has no action ${tag}`);
    return rule;
  }
}

/** Model text between tags: trimmed and normalised, otherwise unchanged, tags included. */
export function modelText(text: string): string {
  return normaliseText(text.trim());
}

/**
 * The body of an action that an agent wrote itself, from its structured answer; undefined where the answer lacks
 * what the action needs.
 *
 * | kind of tag | field | body |
 * |---|---|---|
 * | plan | `plan` | text |
 * | reflection, free | `reflection` | text |
 * | reflection, graded | one grade a criterion | three lines |
 * | suggested_answer | `answer` | text |
 * | verification | `score` | the score line |
 * | answer | `answer` | text, boxed for maths, fenced for programs |
 */
export function actionBody(rule: TagRule, answer: JsonObject, domain: Domain): string | undefined {
  const words = isAction(rule) ? bodyOfAnswer(rule, answer) : undefined;
  if (words === undefined || rule.body === 'grades' || rule.body === 'score') return words;
  return rule.kind === 'answer' ? answerBody(domain, modelText(words)) : modelText(words);
}

/** Tool input between its tags, with the white space around a fence. */
function toolText({ body }: TagRule, { input }: ToolCallEvent): string {
  const text = toolBody(body, input);
  return body === 'code' || body === 'json' ? normaliseText(text) : modelText(text);
}

/**
 * Observation shown to the agent, otherwise the reason of the failed call.
 * @throws RecordFailure (`inexpressible`) where the trace says neither
 */
function observedText({ id, tool, observation, failure }: ToolCallEvent): string {
  if (observation !== null) return observation;
  if (failure && failure.message.trim() !== '') return failure.message;
  throw inexpressible(id, `${tool} gave no observation`);
}
