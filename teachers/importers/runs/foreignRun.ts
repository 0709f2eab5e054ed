import type { JsonObject } from '../../../base/json.ts';
import { nothingUsed } from '../../../schemas/chat.ts';
import type { OnUnread } from '../../../schemas/interchange/onUnread.ts';
import type { OwnRun } from '../../../schemas/interchange/ownRun.ts';
import type { TurnMap } from '../../../schemas/interchange/turnMap.ts';
import type { AgentCallEvent } from '../../../schemas/trace.ts';

/** A call of a tool in another system's trace. */
export interface ForeignCall {
  /** Where it stands in the row, for messages. */
  readonly path: string;
  readonly name: string;
  readonly input: JsonObject;
  /** What came back; null when the trace says that nothing did. */
  readonly observation: string | null;
  /** What came back from a call that failed, as it can't have been made; `observation` is null. */
  readonly failure?: string;
  /** What the sub-agent did that this call went to; used unless the call's own name is a tool of the profile. */
  readonly subTurns?: readonly ForeignTurn[];
  /** What else the source says of it. */
  readonly extra?: JsonObject;
}

/** One answer of an agent's model in another system's trace, and the calls that it asked for. */
export interface ForeignTurn {
  /** Where it stands in the row, for messages. */
  readonly path: string;
  /** What the model thought, apart from what it said. */
  readonly reasoning?: string | null | undefined;
  readonly text: string;
  /** Set where the source itself names the action that the text is, for instance `plan`. */
  readonly action?: 'plan' | 'answer';
  readonly calls: readonly ForeignCall[];
  readonly figures?: TurnFigures;
  /** What else the source says of it. */
  readonly extra?: JsonObject;
}

/** What a turn took; empty and zero where the source does not say. */
type TurnFigures = Pick<
  AgentCallEvent,
  'model' | 'started_at' | 'duration_ms' | 'usage' | 'cost_usd' | 'finish_reason'
>;

/** Figures of a turn about which nothing is known. */
export const unknownFigures: TurnFigures = {
  model: '',
  started_at: '',
  duration_ms: 0,
  usage: nothingUsed,
  cost_usd: 0,
  finish_reason: null,
};

/** Another system's whole run on one question, in the terms that all formats share. */
export interface ForeignRun {
  readonly given_id?: string;
  readonly question: string;
  /** Gold answers; empty where the source has none. */
  readonly answers: readonly string[];
  /** Which program made it. */
  readonly teacher: string;
  readonly turns: readonly ForeignTurn[];
  /** Set where the file is an export of ours. */
  readonly own?: OwnRun | undefined;
  /** What the source says of the run besides. */
  readonly extra: JsonObject;
  /** What was left out of the trace on purpose, said once a row: codes such as `images_left_out`. */
  readonly remarks: readonly string[];
  /** Fields that nothing reads, such as `messages[].weight`; they are kept in `extra`. */
  readonly unread: readonly string[];
}

/** How rows are read. */
export interface Reading {
  /** How turns of text are read; of a format that has them. */
  readonly turns?: TurnMap;
  readonly onUnread: OnUnread;
}
