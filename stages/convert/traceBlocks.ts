import { RecordFailure } from '../../pipeline/contract/errors.ts';
import { answerBody } from '../../schemas/coa/answers.ts';
import { toolBody } from '../../schemas/coa/bodies.ts';
import { type Block, normaliseText, observationBody } from '../../schemas/coa/layout.ts';
import { allowedActions, isFinal, type TakenAction } from '../../schemas/coa/machine.ts';
import { neutralise } from '../../schemas/coa/neutralise.ts';
import { type Profile, type TagRule, tagOfKind, tagRule } from '../../schemas/coa/profile.ts';
import { structuralTagsOf } from '../../schemas/coa/structuralTags.ts';
import type { Domain } from '../../schemas/task.ts';
import type { AgentCallEvent, ToolCallEvent, Trace } from '../../schemas/trace.ts';
import { actionBody, modelText } from './actionBody.ts';

/** A block and the event that its words come from. */
export interface EventBlock extends Block {
  readonly event: string;
}

/** A trace as blocks, and the look-alikes made harmless in its observations. */
export interface TraceBlocks {
  readonly blocks: readonly EventBlock[];
  readonly neutralised: number;
}

/**
 * Turns a trace's events into blocks, in order:
 *
 * | event | blocks |
 * |---|---|
 * | call of the orchestrator | none; its `think` waits for the tool call that it led to |
 * | call of a tool agent | none; what it asked for is in the tool call |
 * | tool call | the orchestrator's `think`, the tool's tag, the observation |
 * | call of any other role | its own `think`, the action's tag |
 * | failed call | none |
 * | the end, where only the answer is left to write | the last suggested answer as the answer |
 *
 * A `think` is written only where the profile has a place for it. Throws `RecordFailure` (`inexpressible`) naming
 * the event for what the grammar has no words for.
 */
export function traceBlocks(trace: Trace, profile: Profile): TraceBlocks {
  const writer = new BlockWriter(profile, trace.task.domain);
  for (const event of trace.events) {
    if (event.type === 'tool_call') writer.toolCall(event);
    else if (event.failure === null) writer.agentCall(event);
  }
  return writer.finish(trace);
}

interface Thought {
  readonly text: string;
  readonly event: string;
}

class BlockWriter {
  readonly #profile: Profile;
  readonly #domain: Domain;
  readonly #blocks: EventBlock[] = [];
  readonly #taken: TakenAction[] = [];
  #orchestrator: Thought | undefined;
  #suggested: Thought | undefined;
  #neutralised = 0;

  constructor(profile: Profile, domain: Domain) {
    this.#profile = profile;
    this.#domain = domain;
  }

  agentCall(event: AgentCallEvent): void {
    if (event.role === 'tool_agent') return;
    const think = event.answer?.think;
    const thought = typeof think === 'string' ? { text: think, event: event.id } : undefined;
    if (event.role === 'orchestrator') this.#orchestrator = thought;
    else this.#action(event, thought);
  }

  toolCall(event: ToolCallEvent): void {
    const rule = this.#rule(event.tool, event.id);
    if (rule.kind !== 'tool') throw inexpressible(event.id, `<${event.tool}> is no tool of the profile`);
    if (event.observation === null) throw inexpressible(event.id, `${event.tool} gave no observation`);
    const asked = toolBody(rule.body, event.input);
    const isFenced = rule.body === 'code' || rule.body === 'json';
    const body = isFenced ? normaliseText(asked) : modelText(asked);
    this.#write(rule, body, event.id, this.#orchestrator);
    this.#observe(event.observation, event.id);
  }

  finish(trace: Trace): TraceBlocks {
    this.#answerAsSuggested();
    const last = this.#taken.at(-1);
    if (!last || !isFinal(this.#profile, last.tag)) {
      throw inexpressible(trace.events.at(-1)?.id ?? null, 'the trace ends without an answer');
    }
    return { blocks: this.#blocks, neutralised: this.#neutralised };
  }

  #action(event: AgentCallEvent, thought: Thought | undefined): void {
    const rule = this.#rule(event.action, event.id);
    const body = actionBody(rule, event.answer ?? {}, this.#domain);
    if (body === undefined) {
      throw inexpressible(event.id, `the ${event.role}'s answer has no words for <${event.action}>`);
    }
    this.#write(rule, body, event.id, thought);
    const words = event.answer?.answer;
    if (rule.kind === 'suggested_answer' && typeof words === 'string') {
      this.#suggested = { text: words, event: event.id };
    }
  }

  #observe(observation: string, event: string): void {
    const { text, count } = neutralise(normaliseText(observation), structuralTagsOf(this.#profile));
    this.#neutralised += count;
    const tag = tagOfKind(this.#profile, 'observation');
    if (tag === undefined) throw inexpressible(event, 'the profile has no observation');
    this.#blocks.push({ tag, origin: 'environment', body: observationBody(text), event });
  }

  /** After a double check that lets the answer stand nobody is asked again: the suggested answer is the answer. */
  #answerAsSuggested(): void {
    const [next, ...others] = allowedActions(this.#profile, this.#taken);
    const rule = next === undefined ? undefined : tagRule(this.#profile, next);
    if (this.#suggested === undefined || rule?.kind !== 'answer' || others.length > 0) return;
    const { text, event } = this.#suggested;
    this.#write(rule, answerBody(this.#domain, modelText(text)), event, undefined);
  }

  #write({ tag }: TagRule, body: string, event: string, thought: Thought | undefined): void {
    const { think_before, think_optional_before } = this.#profile;
    const needed = think_before.includes(tag);
    if (needed && !thought) throw inexpressible(event, `no thinking for <${tag}>, which needs it before it`);
    if (thought && (needed || think_optional_before.includes(tag))) this.#think(thought);
    this.#blocks.push({ tag, origin: 'model', body, event });
    this.#taken.push({ tag, body });
    this.#orchestrator = undefined;
  }

  #think({ text, event }: Thought): void {
    const tag = tagOfKind(this.#profile, 'thinking');
    if (tag !== undefined) this.#blocks.push({ tag, origin: 'model', body: modelText(text), event });
  }

  #rule(tag: string | null, event: string): TagRule {
    const rule = tag === null ? undefined : tagRule(this.#profile, tag);
    if (!rule) throw inexpressible(event, `the profile ${this.#profile.name} has no action ${tag}`);
    return rule;
  }
}

function inexpressible(event: string | null, why: string): RecordFailure {
  return new RecordFailure('inexpressible', `${why} (event ${event})`, { event, why });
}
