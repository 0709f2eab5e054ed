import type { JsonObject } from '../../../base/json.ts';
import { type ActionRule, roleOfAction } from '../../../schemas/interchange/actionAnswer.ts';
import {
  eventId,
  type Role,
  sumsOf,
  type TaskRollout,
  type ToolCallEvent,
  type TraceEvent,
  type TraceTotals,
} from '../../../schemas/trace.ts';
import { type ForeignCall, type ForeignTurn, unknownFigures } from './foreignRun.ts';

/** Collects the events of an imported trace. */
export class ImportRecorder {
  readonly events: TraceEvent[] = [];
  readonly #of: TaskRollout;

  constructor(of: TaskRollout) {
    this.#of = of;
  }

  /** Id of the next event. */
  idOf(shape: Parameters<typeof eventId>[2]): string {
    return eventId(this.#of, this.events.length, shape);
  }

  totals(): TraceTotals {
    const asked = this.events.filter((event) => event.type === 'agent_call' && event.content !== null);
    const durations = this.events.map(({ duration_ms }) => duration_ms);
    return {
      model_calls: asked.length,
      ...sumsOf(this.events),
      duration_ms: durations.reduce((sum, duration) => sum + duration, 0),
    };
  }
}

/** Records one turn: a thought is held until its action. */
export class TurnRecorder {
  readonly turn: ForeignTurn;
  readonly #recorder: ImportRecorder;
  readonly #before: string;
  #thoughts: string[] = [];
  /** Event of the turn's last part; null before the first. */
  #agent: string | null = null;

  /** @param before what was thought in earlier turns and led to nothing */
  constructor(turn: ForeignTurn, recorder: ImportRecorder, before: string) {
    this.turn = turn;
    this.#recorder = recorder;
    this.#before = before;
    this.think(turn.reasoning ?? '');
  }

  /** Adds a thought; a duplicate from a field and the text counts once. */
  think(text: string): void {
    const thought = text.trim();
    if (thought !== '' && !this.#thoughts.includes(thought)) this.#thoughts.push(thought);
  }

  acts(rule: ActionRule, answer: JsonObject): void {
    const think = this.#takeThought(true);
    this.#record(roleOfAction(rule.kind), rule.tag, { ...(think !== '' && { think }), ...answer });
  }

  /**
   * Records the orchestrator if it gives a reason, otherwise the calling agent unless known.
   * @returns what it says
   */
  asks(tag: string | null): string {
    const think = this.#takeThought(false);
    if (think !== '') this.#record('orchestrator', tag, { think, ...(tag !== null && { next: tag }) });
    else if (this.#agent === null) this.#record('tool_agent', tag, null);
    return think;
  }

  /** Records a tool call; its parent is the calling agent, whatever other agents did since. */
  calls(
    { tool, input }: Pick<ToolCallEvent, 'tool' | 'input'>,
    { observation, failure: message, extra }: ForeignCall,
  ): void {
    this.asks(tool);
    const shape = { type: 'tool_call' as const, tool, input, observation };
    this.#recorder.events.push({
      ...shape,
      id: this.#recorder.idOf(shape),
      parent: this.#agent,
      started_at: (this.turn.figures ?? unknownFigures).started_at,
      duration_ms: 0,
      // The model made an impossible call.
      failure:
        message === undefined ? null : { cause: 'malformed_answer', message, retryable: false, evidence: {} },
      raw: null,
      ...(extra && { extra }),
    });
  }

  /** Returns a thought without an action, which may belong to the next turn's. */
  finish(): string {
    const led = this.#agent !== null && this.#thoughts.length === 0;
    return led ? '' : this.asks(null) || this.#before;
  }

  /**
   * Thoughts of the turn, after earlier ones unless it contains them.
   * @param isAlone true where those before it are told although the turn has none: conversion finds them for a tool call
   */
  #takeThought(isAlone: boolean): string {
    const own = this.#thoughts.join('\n\n');
    this.#thoughts = [];
    const isOwn = this.#agent !== null || own.includes(this.#before) || (own === '' && !isAlone);
    return isOwn ? own : `${this.#before}\n\n${own}`.trimEnd();
  }

  /** Records a part; the first part of a turn carries the model's answer and its cost. */
  #record(role: Role, action: string | null, answer: JsonObject | null): void {
    const { text, reasoning = null, figures = unknownFigures, extra } = this.turn;
    const opens = this.#agent === null;
    const content = opens ? text : null;
    const shape = {
      type: 'agent_call' as const,
      role,
      action,
      request_hash: '',
      answer,
      content,
      tool_calls: [],
    };
    const { model, started_at } = figures;
    const { events } = this.#recorder;
    this.#agent = this.#recorder.idOf(shape);
    events.push({
      ...shape,
      ...(opens ? figures : { ...unknownFigures, model, started_at }),
      id: this.#agent,
      parent: events.at(-1)?.id ?? null,
      failure: null,
      messages: [],
      reasoning: opens ? reasoning : null,
      response_format: null,
      malformed: [],
      ...(opens && extra && { extra }),
    });
  }
}
