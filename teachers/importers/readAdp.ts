import type { JsonObject, JsonValue } from '../../base/json.ts';
import { type AdpItem, adpTrajectorySchema } from '../../schemas/interchange/adp.ts';
import { ownRunIn } from '../../schemas/interchange/ownRun.ts';
import { parseRow, RowRefusal } from './rowRefusal.ts';
import { RowRemarks } from './rowRemarks.ts';
import {
  type ForeignCall,
  type ForeignRun,
  type ForeignTurn,
  type Reading,
  unknownFigures,
} from './runs/foreignRun.ts';

type Action = Extract<AdpItem, { class_: 'api_action' | 'code_action' | 'message_action' }>;
type Observation = Exclude<AdpItem, Action>;

/**
 * Reads a trajectory of the Agent Data Protocol. The protocol links an observation to the action before it and to
 * nothing else; `details` and what has no place in a trace are kept in the trace's `extra`.
 */
export function readAdp(value: JsonValue, { onUnread }: Reading): ForeignRun {
  const { content, details, ...row } = parseRow(adpTrajectorySchema, value);
  const remarks = new RowRemarks(onUnread);
  const reader = new ContentReader(content, remarks);
  const turns = reader.turns();
  const { answers, answer } = details;
  return {
    given_id: row.id,
    question: reader.question(),
    answers: [answers ?? answer].flat().filter((text) => typeof text === 'string'),
    teacher: 'adp',
    turns,
    own: ownRunIn(details),
    extra: { adp: { ...row, details, left: reader.left } as unknown as JsonObject },
    remarks: remarks.list(),
  };
}

class ContentReader {
  /** Items that are no part of the trace, and their places. */
  readonly left: { at: number; item: AdpItem }[] = [];
  readonly #content: readonly AdpItem[];
  readonly #remarks: RowRemarks;
  #question: string | undefined;

  constructor(content: readonly AdpItem[], remarks: RowRemarks) {
    this.#content = content;
    this.#remarks = remarks;
  }

  question(): string {
    return this.#question ?? '';
  }

  turns(): ForeignTurn[] {
    return this.#content.flatMap((item, at) => {
      if (isAction(item)) return [this.#turn(item, at)];
      if (!this.#isResult(at)) this.#spoken(item, at);
      return [];
    });
  }

  #isResult(at: number): boolean {
    const before = this.#content[at - 1];
    return before !== undefined && isCall(before);
  }

  /** An observation that answers no call: the question, or an image. */
  #spoken(item: Observation, at: number): void {
    const path = `content[${at}]`;
    if (item.class_ === 'image_observation') {
      this.#remarks.unread('image', path);
      this.left.push({ at, item });
      return;
    }
    if (item.class_ !== 'text_observation' || item.source !== 'user') {
      throw new RowRefusal(
        'unsupported_row',
        'result_without_call',
        path,
        'the observation follows no call, so nothing says what was asked',
      );
    }
    if (this.#question !== undefined) {
      throw new RowRefusal(
        'unsupported_row',
        'second_user_message',
        path,
        'a trajectory answers one question, but the user speaks again here',
      );
    }
    this.#question = item.content;
  }

  #turn(item: Action, at: number): ForeignTurn {
    const path = `content[${at}]`;
    const isMessage = item.class_ === 'message_action';
    const { reward, description } = item;
    const kept = {
      ...(reward != null && { reward }),
      ...(isMessage && description != null && { description }),
    };
    return {
      path,
      reasoning: item.reasoning_content ?? (isMessage ? (description ?? null) : null),
      text: isMessage ? item.content : (description ?? ''),
      calls: isMessage ? [] : [this.#call(item, at)],
      figures: unknownFigures,
      ...(Object.keys(kept).length > 0 && { extra: { adp: kept } }),
    };
  }

  #call(item: Exclude<Action, { class_: 'message_action' }>, at: number): ForeignCall {
    const result = this.#content[at + 1];
    const observation =
      result && !isAction(result) ? this.#observationText(result, `content[${at + 1}]`) : null;
    const isCode = item.class_ === 'code_action';
    return {
      path: `content[${at}]`,
      name: isCode ? item.language : item.function,
      input: isCode ? { code: item.content } : item.kwargs,
      observation,
      extra: { adp: isCode ? { language: item.language } : { function: item.function, kwargs: item.kwargs } },
    };
  }

  /** What the agent was shown; of a page its accessibility tree, or else its HTML. */
  #observationText(item: Observation, path: string): string {
    if (item.class_ === 'text_observation') return item.content;
    if (item.class_ === 'image_observation' || item.image_observation) this.#remarks.unread('image', path);
    else this.#remarks.add('web_pages_as_text');
    return item.class_ === 'web_observation' ? (item.axtree ?? item.html ?? '') : '';
  }
}

function isAction(item: AdpItem): item is Action {
  return item.class_ === 'api_action' || item.class_ === 'code_action' || item.class_ === 'message_action';
}

function isCall(item: AdpItem): boolean {
  return item.class_ === 'api_action' || item.class_ === 'code_action';
}
