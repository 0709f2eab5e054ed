import type { OwnModule } from '../../base/programs/ownModule.ts';
import type { Sandbox } from '../../contract/sandbox.ts';
import type { Session } from '../../contract/session.ts';
import type { StageName } from '../../contract/stageTable.ts';
import type { Teacher } from '../../contract/teacher.ts';
import type { TestStore } from '../../contract/testStore.ts';
import type { EmbeddingModel } from '../../contract/textModels.ts';
import type { JudgeModel } from '../../stages/judge/castVotes.ts';
import type { ProbedModel } from '../../stages/judge/createProbeStage.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';

/**
 * What stages of capabilities ask besides. A capability's room declares its own here, and registers what opens them with its
 * stages.
 */
// biome-ignore lint/suspicious/noEmptyInterface: rooms of capabilities fill it
export interface CapabilityServices {}

/** What stages ask: each opens when a stage with work first needs it, and then stays the same. */
export interface StageServices extends CapabilityServices {
  openTeacher(): Promise<Teacher>;
  /** Undefined where the configuration has no `tools.code`. */
  readonly sandbox: Sandbox | undefined;
  /** Undefined where the configuration has the judge ask no model. */
  readonly openJudgeModel: (() => Promise<JudgeModel>) | undefined;
  /** The module of `judge.module`; undefined where there is none. */
  readonly ownJudge?: OwnModule | undefined;
  /** Undefined where no model probes tasks. */
  readonly openProbedModel: (() => Promise<ProbedModel>) | undefined;
  /** Opens the model that trajectories are compared by. */
  readonly openEmbeddings: () => Promise<EmbeddingModel>;
}

/** What the stages of a run are opened with. */
export interface StageParts extends Pick<Session, 'resources' | 'log'> {
  readonly loaded: LoadedConfig;
  readonly runFolder: string;
  /** Where tests are that are too long for records. */
  readonly testStore: TestStore;
  /** Where a stage puts what memory has no room for while it works. */
  spillFolder(stage: StageName): string;
  /** Absent where nothing may be asked: a stage that asks can't be opened then, and nothing is compared by meaning. */
  readonly services?: StageServices;
  /** Content id of the configuration. */
  readonly configHash: string;
}

/** What a stage may ask. Throws where nothing may be asked. */
export function servicesOf({ services }: StageParts): StageServices {
  if (!services) throw new Error('a stage that asks models was opened where nothing may be asked');
  return services;
}
