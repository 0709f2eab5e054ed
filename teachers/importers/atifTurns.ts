import type { JsonObject } from '../../base/json.ts';
import { reportedCostSchema, reportedUsageSchema } from '../../schemas/chat.ts';
import type { AtifContent, AtifStep, AtifTrajectory } from '../../schemas/interchange/atif.ts';
import { RowRefusal } from './rowRefusal.ts';
import type { RowRemarks } from './rowRemarks.ts';
import type { ForeignCall, ForeignTurn, TurnFigures } from './runs/foreignRun.ts';

type AtifToolCall = NonNullable<AtifStep['tool_calls']>[number];
type AtifResult = NonNullable<AtifStep['observation']>['results'][number];

/** A step that is no part of the trace, and its place among the steps. */
export interface LeftStep {
  readonly at: number;
  readonly step: AtifStep;
}

/** Steps of agents as turns; `left` is given every other step. */
export function atifTurns(document: AtifTrajectory, remarks: RowRemarks, left: LeftStep[]): ForeignTurn[] {
  return new TurnsReader(document, remarks, left, '').read();
}

/**
 * The text of a message.
 *
 * @throws RowRefusal for a part that is no text, see `RowRemarks.unread`
 */
export function textOf(content: AtifContent | null | undefined, path: string, remarks: RowRemarks): string {
  if (content == null || typeof content === 'string') return content ?? '';
  const texts = content.flatMap((part, at) => {
    if (part.type === 'text') return [part.text];
    remarks.unread(part.type, `${path}[${at}]`);
    return [];
  });
  return texts.join('\n');
}

class TurnsReader {
  readonly #document: AtifTrajectory;
  readonly #remarks: RowRemarks;
  readonly #left: LeftStep[] | undefined;
  readonly #path: string;

  constructor(document: AtifTrajectory, remarks: RowRemarks, left: LeftStep[] | undefined, path: string) {
    this.#document = document;
    this.#remarks = remarks;
    this.#left = left;
    this.#path = path;
  }

  read(): ForeignTurn[] {
    return this.#document.steps.flatMap((step, at) => {
      if (step.source === 'agent' && step.is_copied_context !== true) return [this.#turn(step, at)];
      if (step.is_copied_context === true) this.#remarks.add('copied_context_left_out');
      else if (step.source === 'system') this.#remarks.add('system_steps_left_out');
      this.#left?.push({ at, step });
      return [];
    });
  }

  #turn(step: AtifStep, at: number): ForeignTurn {
    const path = `${this.#path}steps[${at}]`;
    const calls = (step.tool_calls ?? []).map((call, nth) =>
      this.#call(step, call, `${path}.tool_calls[${nth}]`),
    );
    this.#refuseLooseResults(step, path);
    return {
      path,
      reasoning: step.reasoning_content ?? null,
      text: textOf(step.message, `${path}.message`, this.#remarks),
      calls,
      figures: figuresOf(step, this.#document.agent.model_name),
      extra: { atif: this.#left ? { at, step: keptOf(step) } : { sub_agent: true } },
    };
  }

  #call(step: AtifStep, call: AtifToolCall, path: string): ForeignCall {
    const results = (step.observation?.results ?? []).filter(
      (result) => result.source_call_id === call.tool_call_id,
    );
    const subTurns = results.flatMap((result) => this.#subTurns(result));
    const observation = results.map(({ content }) => textOf(content, path, this.#remarks)).join('\n');
    return {
      path,
      name: call.function_name,
      input: call.arguments,
      observation: results.length === 0 ? null : observation,
      ...(subTurns.length > 0 && { subTurns }),
      ...(this.#left && { extra: { atif: { call_id: call.tool_call_id } } }),
    };
  }

  /** Turns of the embedded documents that a result refers to; their own steps stay in the document's `extra`. */
  #subTurns(result: AtifResult): ForeignTurn[] {
    return (result.subagent_trajectory_ref ?? []).flatMap(({ trajectory_id }) => {
      const all = this.#document.subagent_trajectories ?? [];
      const at = all.findIndex((candidate) => candidate.trajectory_id === trajectory_id);
      const found = all[at];
      if (trajectory_id == null || !found) return [];
      this.#remarks.add('sub_agents_flattened');
      const path = `${this.#path}subagent_trajectories[${at}].`;
      return new TurnsReader(found, this.#remarks, undefined, path).read();
    });
  }

  #refuseLooseResults(step: AtifStep, path: string): void {
    const loose = (step.observation?.results ?? []).findIndex((result) => result.source_call_id == null);
    if (loose < 0) return;
    throw new RowRefusal(
      'unsupported_row',
      'result_without_call',
      `${path}.observation.results[${loose}]`,
      'the result belongs to no tool call, so nothing says what was asked',
    );
  }
}

/** The step without what events hold: the text, the reasoning, and what tools gave back. */
function keptOf(step: AtifStep): JsonObject {
  const {
    message,
    reasoning_content: _reasoning,
    step_id: _id,
    source: _source,
    observation,
    ...rest
  } = step;
  return {
    ...rest,
    ...(typeof message !== 'string' && { message }),
    ...(observation && {
      observation: { results: observation.results.map((result) => skeletonOf(result, step)) },
    }),
  } as unknown as JsonObject;
}

/** A result without its text, where the text is exactly what the call's event holds. */
function skeletonOf(result: AtifResult, step: AtifStep): JsonObject {
  const { content, ...rest } = result;
  const sameCall = step.observation!.results.filter(
    (other) => other.source_call_id === result.source_call_id,
  );
  const isHeld = typeof content === 'string' && content !== '' && sameCall.length === 1;
  const kept = isHeld ? { content_held: true } : content === undefined ? {} : { content };
  return { ...rest, ...kept } as unknown as JsonObject;
}

function figuresOf(step: AtifStep, defaultModel: string | null | undefined): TurnFigures {
  const { metrics, timestamp, model_name } = step;
  return {
    model: model_name ?? defaultModel ?? '',
    started_at: timestamp ?? '',
    duration_ms: 0,
    usage: reportedUsageSchema.parse(metrics ?? {}),
    cost_usd: reportedCostSchema.parse(metrics?.cost_usd),
    finish_reason: null,
  };
}
