import type { TryResult } from '../../schemas/tryResult.ts';

/** Facets in display order: `one` has a single value per row, `many` any number. */
export const facetTable = [
  { name: 'state', kind: 'one', title: 'State' },
  { name: 'stage', kind: 'one', title: 'Stage' },
  { name: 'reason', kind: 'one', title: 'Reason' },
  { name: 'profile', kind: 'one', title: 'Profile' },
  { name: 'verdict', kind: 'one', title: 'Verdict' },
  { name: 'judge', kind: 'many', title: 'Judge' },
  { name: 'grounding', kind: 'one', title: 'Grounding' },
  { name: 'tool', kind: 'many', title: 'Tool' },
  { name: 'mark', kind: 'many', title: 'Mark' },
  { name: 'review', kind: 'many', title: 'Review' },
  { name: 'source', kind: 'one', title: 'Source' },
  { name: 'split', kind: 'one', title: 'Split' },
] as const;

export type FacetName = (typeof facetTable)[number]['name'];

export const facetNames: readonly FacetName[] = facetTable.map(({ name }) => name);

/** Numbers for sorting and ranges, with their titles. All but dollars are whole. */
export const figureTitles = {
  rollout: 'Sample',
  tokens: 'Tokens',
  trained_tokens: 'Trained tokens',
  trained_percent: 'Trained in %',
  segments: 'Segments',
  interactions: 'Tool interactions',
  model_calls: 'Model calls',
  cost_usd: 'Cost',
  duration_s: 'Seconds',
  score_percent: 'Score in %',
  pass_rate_percent: 'Pass rate in %',
} as const;

export type FigureName = keyof typeof figureTitles;

export const figureNames = Object.keys(figureTitles) as FigureName[];

/** Figures without a histogram: dollars are not whole numbers, and most tasks have a single sample. */
export const plainFigures: ReadonlySet<string> = new Set<FigureName>(['rollout', 'cost_usd']);

export const shownTexts = ['question', 'answer', 'gold'] as const;

/** Sort keys; `row` sorts by task, in the order of creation. */
export type SortName = 'row' | FigureName | FacetName | (typeof shownTexts)[number];

/** `pending`: still in a stage; `kept`: in the dataset. */
export type RowState = 'pending' | 'kept' | 'dropped' | 'failed';

export const textNames = ['question', 'answer', 'model', 'observation', 'ids'] as const;

/** Facts from one journal line; absent ones stay as they were. */
export interface RowFacts {
  readonly facets?: Partial<Record<FacetName, string | readonly string[] | undefined>>;
  readonly figures?: Partial<Record<FigureName, number | undefined>>;
  readonly texts?: Partial<Record<(typeof textNames)[number], string>>;
  /** Texts for lists; the first value stays. */
  readonly shown?: Partial<Record<(typeof shownTexts)[number], string | undefined>>;
  /** Id of its latest trajectory, otherwise of the record itself. */
  readonly recordId?: string;
  /** Result for the task's pass rate; undefined if unknown, and for second tries. */
  readonly result?: TryResult;
}

/** Key of a row: each rollout of a task is a row, numbered from 0. */
export interface RowKey {
  readonly taskId: string;
  readonly rollout: number;
}

export interface LinePlace {
  readonly stage: string;
  readonly isLedger: boolean;
  readonly offset: number;
  readonly length: number;
}

export interface RowChange {
  readonly key: RowKey;
  readonly facts: RowFacts;
  /** Absent if the row does not show the line. */
  readonly place?: LinePlace;
  /** Trajectory id that the row must have; the change is dropped if no row of the key has it. */
  readonly ofRecord?: string;
  /** Id of the input record, to tell several rows of the key apart. Default: the first row. */
  readonly input?: string;
  /**
   * `begins`: starts a new row even if the key exists; `ends`: applies to the last unfinished one of equal rows;
   * `retried`: applies to a row of the task that failed at that stage, if any. Default: the row of the key.
   */
  readonly equal?: 'begins' | 'ends' | 'retried';
}
