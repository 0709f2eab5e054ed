import { type StageName, stagesWhere } from '../../contract/stageTable.ts';

/** Stages that find out: what they made is taken over by a run that decides again. */
export const findingStages: readonly StageName[] = stagesWhere(({ decides }) => !decides);

/** Settings that shape nothing but decisions: these and everything below them. */
export const decidingSettings = ['filters', 'select', 'balance', 'dedup.trajectories'] as const;

/** A setting below those that decides which questions a model is asked. */
export const askingSetting = 'filters.duplicate_questions';

/** Sections whose files are read again by a run that decides again. */
export const readSections: readonly unknown[] = ['filters', 'dataset'];
