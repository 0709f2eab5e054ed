import type { TryResult } from '../../schemas/tryResult.ts';

/**
 * What rows are told apart by, in the order in which it stands beside the table: of `one` each row has a single value, of
 * `many` any number.
 */
export const facetTable = [
  { name: 'state', kind: 'one', title: 'State' },
  { name: 'stage', kind: 'one', title: 'Stage' },
  { name: 'reason', kind: 'one', title: 'Reason' },
  { name: 'profile', kind: 'one', title: 'Profile' },
  { name: 'verdict', kind: 'one', title: 'Verdict' },
  { name: 'judge', kind: 'many', title: 'Judge' },
  { name: 'tool', kind: 'many', title: 'Tool' },
  { name: 'mark', kind: 'many', title: 'Mark' },
  { name: 'review', kind: 'many', title: 'Review' },
  { name: 'source', kind: 'one', title: 'Source' },
  { name: 'split', kind: 'one', title: 'Split' },
] as const;

export type FacetName = (typeof facetTable)[number]['name'];

export const facetNames: readonly FacetName[] = facetTable.map(({ name }) => name);

/** Numbers that rows are sorted and ranged by, with their titles: whole ones, but for dollars. */
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

/** Figures that no histogram shows: dollars are no whole numbers, and of samples most tasks have one. */
export const plainFigures: ReadonlySet<string> = new Set<FigureName>(['rollout', 'cost_usd']);

/** Short texts that a list shows and sorts by. */
export const shownTexts = ['question', 'answer', 'gold'] as const;

/** What rows are sorted by; `row`: by their tasks, in whose order they were made. */
export type SortName = 'row' | FigureName | FacetName | (typeof shownTexts)[number];

/** Where a record is: still on its way, in the dataset, or out of it. */
export type RowState = 'pending' | 'kept' | 'dropped' | 'failed';

/** The parts of a record that are searched. */
export const textNames = ['question', 'answer', 'model', 'observation', 'ids'] as const;

/** What one line of a journal says of a row; what is absent stays as it was. */
export interface RowFacts {
  readonly facets?: Partial<Record<FacetName, string | readonly string[] | undefined>>;
  readonly figures?: Partial<Record<FigureName, number | undefined>>;
  readonly texts?: Partial<Record<(typeof textNames)[number], string>>;
  /** What lists show of it; the first that is said stays. */
  readonly shown?: Partial<Record<(typeof shownTexts)[number], string | undefined>>;
  /** The id of its trajectory as it is by now, or of the record that it is. */
  readonly recordId?: string;
  /** How it counts in its task's pass rate; undefined before that is known, and of second tries. */
  readonly result?: TryResult;
}

/** Which row a line is about: of several records of one task each rollout is one. */
export interface RowKey {
  readonly taskId: string;
  /** From 0. */
  readonly rollout: number;
}

/** Where a line stands that says something of a row. */
export interface LinePlace {
  readonly stage: string;
  readonly isLedger: boolean;
  readonly offset: number;
  readonly length: number;
}

/** What a feed says of one row. */
export interface RowChange {
  readonly key: RowKey;
  readonly facts: RowFacts;
  /** Absent where nothing of it is shown with the row. */
  readonly place?: LinePlace;
  /** Id of the trajectory that it is of: of no other row of that key, and of none where there is none. */
  readonly ofRecord?: string;
  /** Id of the record that went in: of several rows of that key it is of the one that has it. Default: of the first. */
  readonly input?: string;
  /**
   * `begins`: a row of its own even where the key is there; `ends`: is of the last of equal rows that has not ended;
   * `retried`: is of a row of the task that failed at that stage, and of none where there is none. Default: of the key's.
   */
  readonly equal?: 'begins' | 'ends' | 'retried';
}
