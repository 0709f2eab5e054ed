import type { CorpusStage, Identified, RecordStage, SourceStage } from '../../contract/stage.ts';
import type { StageTarget } from './stageState.ts';

/** A stage as the runner sees it. */
export type OpenedStage =
  | { readonly kind: 'source'; readonly stage: SourceStage<Identified> }
  | { readonly kind: 'corpus'; readonly stage: CorpusStage<Identified, Identified> }
  | { readonly kind: 'record'; readonly stage: RecordStage<Identified, Identified> };

/** A stage of a run: what it is to be, and who does its work. */
export interface RunStage extends StageTarget {
  /** Absent for a stage that was taken over from another run: it has no work here. */
  readonly opened?: OpenedStage;
}
