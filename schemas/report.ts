import type { Manifest } from './manifest.ts';
import type { Trajectory } from './trajectory.ts';

/** What became of the records that entered one stage. `entered = emitted + dropped + failed`, summed over reasons. */
export interface FunnelRow {
  readonly stage: string;
  readonly entered: number;
  readonly emitted: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly failed: Readonly<Record<string, number>>;
}

/** What one role of the teacher used. */
export interface RoleUse {
  readonly role: string;
  readonly calls: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost_usd: number;
}

/** Planted flaws against what became of them; only for scripted and answer-key teachers. */
export interface PlantedRow {
  /** The flaw, or `clean`. */
  readonly flaw: string;
  readonly profile: string;
  /** What should become of such a task, for instance `dropped: wrong_answer`. */
  readonly expected: string;
  readonly planted: number;
  /** Tasks of this row that ended as expected. */
  readonly as_expected: number;
  /** Tasks that ended like this without such a flaw planted. */
  readonly false_finds: number;
}

/** Everything that the report and `status` show, gathered from a run folder. */
export interface ReportData {
  readonly run: string;
  readonly coa_distill_version: string;
  readonly config_hash: string;
  readonly funnel: readonly FunnelRow[];
  /** One entry a kept row, in row order. */
  readonly rows: readonly {
    readonly profile: string;
    readonly tokens: number;
    readonly trained_tokens: number;
    readonly interactions: number;
  }[];
  readonly roles: readonly RoleUse[];
  /** First few failures and drops of each kind, with evidence as one line of text. */
  readonly examples: readonly {
    readonly stage: string;
    readonly kind: string;
    readonly task_id: string;
    readonly message: string;
  }[];
  readonly planted: readonly PlantedRow[] | null;
  /** A few kept trajectories, at most two a profile. */
  readonly samples: readonly Trajectory[];
  readonly manifest: Manifest | null;
}
