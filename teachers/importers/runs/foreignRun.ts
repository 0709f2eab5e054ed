import type { JsonObject } from '../../../base/json.ts';
import { nothingUsed } from '../../../schemas/chat.ts';
import type { OnUnread } from '../../../schemas/interchange/onUnread.ts';
import type { OwnRun } from '../../../schemas/interchange/ownRun.ts';
import type { TurnMap } from '../../../schemas/interchange/turnMap.ts';
import type { AgentCallEvent } from '../../../schemas/trace.ts';

/** A tool call in another system's trace. */
export interface ForeignCall {
  /** Path in the row, for messages. */
  readonly path: string;
  readonly name: string;
  readonly input: JsonObject;
  /** Result; null if the trace states that there was none. */
  readonly observation: string | null;
  /** Error of an impossible call; `observation` is null then. */
  readonly failure?: string;
  /** Turns of the called sub-agent; used unless the call's name is a tool of the profile. */
  readonly subTurns?: readonly ForeignTurn[];
  /** Further data of the source. */
  readonly extra?: JsonObject;
}

/** One model answer in another system's trace, with its calls. */
export interface ForeignTurn {
  /** Path in the row, for messages. */
  readonly path: string;
  /** Thought of the model, separate from its text. */
  readonly reasoning?: string | null | undefined;
  readonly text: string;
  /** Action named by the source itself, such as `plan`. */
  readonly action?: 'plan' | 'answer';
  readonly calls: readonly ForeignCall[];
  readonly figures?: TurnFigures;
  /** Further data of the source. */
  readonly extra?: JsonObject;
}

/** Cost figures of a turn; empty and zero if not stated. */
type TurnFigures = Pick<
  AgentCallEvent,
  'model' | 'started_at' | 'duration_ms' | 'usage' | 'cost_usd' | 'finish_reason'
>;

/** Figures of a turn without data. */
export const unknownFigures: TurnFigures = {
  model: '',
  started_at: '',
  duration_ms: 0,
  usage: nothingUsed,
  cost_usd: 0,
  finish_reason: null,
};

/** Another system's complete run on one question, in terms common to all formats. */
export interface ForeignRun {
  readonly given_id?: string;
  readonly question: string;
  /** Gold answers; empty if the source has none. */
  readonly answers: readonly string[];
  /** Program that made it. */
  readonly teacher: string;
  readonly turns: readonly ForeignTurn[];
  /** Set if the file is an export of ours. */
  readonly own?: OwnRun | undefined;
  /** Further data of the source about the run. */
  readonly extra: JsonObject;
  /** Deliberate omissions, once per row: codes such as `images_left_out`. */
  readonly remarks: readonly string[];
  /** Unread fields, such as `messages[].weight`; they are kept in `extra`. */
  readonly unread: readonly string[];
}

/** Options for reading rows. */
export interface Reading {
  /** Map for reading turns of text, for formats with such turns. */
  readonly turns?: TurnMap;
  readonly onUnread: OnUnread;
}
