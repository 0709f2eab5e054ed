import type { JsonObject } from '../../base/json.ts';
import type { Usage } from '../../schemas/chat.ts';
import type { OwnRun } from '../../schemas/interchange/ownRun.ts';
import type { TraceTotals } from '../../schemas/trace.ts';

/** The formats of other systems that are written. */
export const exportFormats = ['atif', 'adp', 'openai'] as const;
/** The name of an interchange format. */
export type ExportFormat = (typeof exportFormats)[number];

/** A tool's call as other formats write it. */
export interface ExportCall {
  /** Unique in the run. */
  readonly id: string;
  /** The tool's tag. */
  readonly name: string;
  readonly input: JsonObject;
  readonly observation: string;
}

/** One answer of an agent's model and the calls that it asked for. */
export interface ExportTurn {
  readonly reasoning: string | null;
  /** What was said: an action's words between its tags; empty for a turn that only calls tools. */
  readonly text: string;
  readonly calls: readonly ExportCall[];
  /** Null for trajectories, which hold no figures. */
  readonly figures: TurnFigures | null;
}

/** What a turn took. */
export interface TurnFigures {
  readonly role: string;
  readonly model: string;
  readonly started_at: string;
  readonly usage: Usage;
  readonly cost_usd: number;
  /** Calls of a model, malformed answers included. */
  readonly model_calls: number;
}

/** A trace or a trajectory in the terms that all formats of other systems share. */
export interface ExportRun {
  readonly id: string;
  readonly question: string;
  /** What other formats have no field for. */
  readonly own: OwnRun;
  readonly turns: readonly ExportTurn[];
  readonly totals: TraceTotals | null;
}
