import type { JsonObject } from '../../base/json.ts';
import type { Usage } from '../../schemas/chat.ts';
import type { OwnRun } from '../../schemas/interchange/ownRun.ts';
import type { TraceTotals } from '../../schemas/trace.ts';

export const exportFormats = ['atif', 'adp', 'openai'] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface ExportCall {
  /** Unique within the run. */
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  readonly observation: string;
}

/** Model answer with the calls that it requested. */
export interface ExportTurn {
  readonly reasoning: string | null;
  /** Text of the answer, for an action between its tags; empty for a turn with only tool calls. */
  readonly text: string;
  readonly calls: readonly ExportCall[];
  /** Null for trajectories, which hold no usage figures. */
  readonly figures: TurnFigures | null;
}

export interface TurnFigures {
  readonly role: string;
  readonly model: string;
  readonly started_at: string;
  readonly usage: Usage;
  readonly cost_usd: number;
  readonly model_calls: number;
}

export interface ExportRun {
  readonly id: string;
  readonly question: string;
  /** Fields without an equivalent in other formats. */
  readonly own: OwnRun;
  readonly turns: readonly ExportTurn[];
  readonly totals: TraceTotals | null;
}
