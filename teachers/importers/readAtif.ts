import type { JsonObject, JsonValue } from '../../base/json.ts';
import { reportedCostSchema, reportedUsageSchema } from '../../schemas/chat.ts';
import {
  type AtifContent,
  type AtifStep,
  type AtifTrajectory,
  atifTrajectorySchema,
} from '../../schemas/interchange/atif.ts';
import { OWN_KEY, ownRunIn } from '../../schemas/interchange/ownRun.ts';
import { goldIn, unreadColumns } from '../../schemas/rows/rowCodec.ts';
import { parseRow, refusal } from './rowRefusal.ts';
import { RowRemarks } from './rowRemarks.ts';
import type { ForeignCall, ForeignRun, ForeignTurn, Reading } from './runs/foreignRun.ts';

type AtifToolCall = NonNullable<AtifStep['tool_calls']>[number];
type AtifResult = NonNullable<AtifStep['observation']>['results'][number];

/**
 * Reads an ATIF document (1.0 to 1.7). Steps not written by agents, copied context, images and sub-agents' documents
 * are not part of the trace and go to its `extra`.
 */
export function readAtif(value: JsonValue, { onUnread }: Reading): ForeignRun {
  const document = parseRow(atifTrajectorySchema, value);
  const remarks = new RowRemarks(onUnread);
  const { session_id, trajectory_id, agent, steps, extra } = document;
  const reader = new StepsReader(document, remarks, '');
  const turns = reader.turns();
  const left = steps.flatMap((step, at) => (isTurn(step) ? [] : [{ at, step }]));
  const [asked, second] = left.filter(
    ({ step }) => step.source === 'user' && step.is_copied_context !== true,
  );
  if (second) throw refusal('second_user_message', `steps[${second.at}]`);
  const { steps: _, ...root } = document;
  const given_id = trajectory_id ?? session_id;
  return {
    ...(given_id != null && { given_id }),
    question: asked ? reader.text(asked.step.message, `steps[${asked.at}].message`) : '',
    answers: goldIn(extra ?? {}).gold,
    teacher: `${agent.name} ${agent.version}`,
    turns,
    own: ownRunIn(extra),
    extra: { atif: { root, left } as unknown as JsonObject },
    remarks: remarks.list(),
    unread: unreadColumns(extra ?? {}, [OWN_KEY]).map((name) => `extra.${name}`),
  };
}

function isTurn(step: AtifStep): boolean {
  return step.source === 'agent' && step.is_copied_context !== true;
}

/** Reads the steps of a document or an embedded sub-agent's document. */
class StepsReader {
  readonly #document: AtifTrajectory;
  readonly #remarks: RowRemarks;
  /** Path in the outer document; empty for the outer one. */
  readonly #path: string;

  constructor(document: AtifTrajectory, remarks: RowRemarks, path: string) {
    this.#document = document;
    this.#remarks = remarks;
    this.#path = path;
  }

  /** Agent steps as turns. */
  turns(): ForeignTurn[] {
    return this.#document.steps.flatMap((step, at) => {
      if (isTurn(step)) return [this.#turn(step, at)];
      if (step.is_copied_context === true) this.#remarks.add('copied_context_left_out');
      else if (step.source === 'system') this.#remarks.add('system_steps_left_out');
      return [];
    });
  }

  /** Text of a message. Throws `RowRefusal` for a non-text part, see `RowRemarks.unread`. */
  text(content: AtifContent | null | undefined, path: string): string {
    if (content == null || typeof content === 'string') return content ?? '';
    const texts = content.flatMap((part, at) => {
      if (part.type === 'text') return [part.text];
      this.#remarks.unread(part.type, `${path}[${at}]`);
      return [];
    });
    return texts.join('\n');
  }

  #turn(step: AtifStep, at: number): ForeignTurn {
    const path = `${this.#path}steps[${at}]`;
    const { message, reasoning_content, observation, ...kept } = step;
    const { metrics, timestamp, model_name, tool_calls } = kept;
    const calls = (tool_calls ?? []).map((call, nth) => this.#call(step, call, `${path}.tool_calls[${nth}]`));
    const loose = (observation?.results ?? []).findIndex((result) => result.source_call_id == null);
    if (loose >= 0) throw refusal('result_without_call', `${path}.observation.results[${loose}]`);
    return {
      path,
      reasoning: reasoning_content,
      text: this.text(message, `${path}.message`),
      calls,
      figures: {
        model: model_name ?? this.#document.agent.model_name ?? '',
        started_at: timestamp ?? '',
        duration_ms: 0,
        usage: reportedUsageSchema.parse(metrics ?? {}),
        cost_usd: reportedCostSchema.parse(metrics?.cost_usd),
        finish_reason: null,
      },
      // A sub-agent's steps stay in the outer document.
      extra: { atif: this.#path === '' ? (kept as unknown as JsonObject) : { sub_agent: true } },
    };
  }

  #call(
    step: AtifStep,
    { tool_call_id, function_name, arguments: input }: AtifToolCall,
    path: string,
  ): ForeignCall {
    const results = resultsOf(step, tool_call_id);
    const subTurns = results.flatMap((result) => this.#subTurns(result));
    const observation = results.map(({ content }) => this.text(content, path)).join('\n');
    return {
      path,
      name: function_name,
      // Our own documents never went through such a loader.
      input: ownRunIn(this.#document.extra) ? input : this.#remarks.withoutNulls(input),
      observation: results.length === 0 ? null : observation,
      ...(subTurns.length > 0 && { subTurns }),
      ...(this.#path === '' && { extra: { atif: { call_id: tool_call_id } } }),
    };
  }

  /** Turns of the embedded documents that a result references. */
  #subTurns({ subagent_trajectory_ref: refs }: AtifResult): ForeignTurn[] {
    const all = this.#document.subagent_trajectories ?? [];
    return (refs ?? []).flatMap(({ trajectory_id }) => {
      const at = trajectory_id == null ? -1 : all.findIndex((each) => each.trajectory_id === trajectory_id);
      if (at < 0) return [];
      this.#remarks.add('sub_agents_flattened');
      return new StepsReader(all[at]!, this.#remarks, `${this.#path}subagent_trajectories[${at}].`).turns();
    });
  }
}

function resultsOf({ observation }: AtifStep, id: string | null | undefined): AtifResult[] {
  return (observation?.results ?? []).filter(({ source_call_id }) => source_call_id === id);
}
