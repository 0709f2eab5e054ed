import type { CorpusStage, Identified, RecordStage, SourceStage } from '../../contract/stage.ts';
import type { StageName } from '../../contract/stageTable.ts';

/** A stage as the runner sees it. `prepare` opens what it needs (servers, tools) once it is known to have work. */
export type PlannedStage = {
  readonly prepare?: () => Promise<void>;
} & (
  | { readonly kind: 'source'; readonly stage: SourceStage<Identified> }
  | { readonly kind: 'corpus'; readonly stage: CorpusStage<Identified, Identified> }
  | { readonly kind: 'record'; readonly stage: RecordStage<Identified, Identified> }
);

/** The name of a planned stage. */
export function stageNameOf(planned: PlannedStage): StageName {
  return planned.stage.name;
}
