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
 * Services of capability stages. Each capability's room extends this interface, and registers their openers with its
 * stages.
 */
// biome-ignore lint/suspicious/noEmptyInterface: rooms of capabilities fill it
export interface CapabilityServices {}

/** Services of stages, each opened once when a stage with work first needs it. */
export interface StageServices extends CapabilityServices {
  openTeacher(): Promise<Teacher>;
  /** Undefined without `tools.code`. */
  readonly sandbox: Sandbox | undefined;
  /** Undefined if the judge uses no model. */
  readonly openJudgeModel: (() => Promise<JudgeModel>) | undefined;
  /** Module of `judge.module`; undefined without one. */
  readonly ownJudge?: OwnModule | undefined;
  /** Undefined if no model probes tasks. */
  readonly openProbedModel: (() => Promise<ProbedModel>) | undefined;
  readonly openEmbeddings: () => Promise<EmbeddingModel>;
}

export interface StageParts extends Pick<Session, 'resources' | 'log'> {
  readonly loaded: LoadedConfig;
  readonly runFolder: string;
  /** Storage for tests that are too long for records. */
  readonly testStore: TestStore;
  /** Folder for a stage's temporary data that exceeds memory. */
  spillFolder(stage: StageName): string;
  /**
   * Absent if no requests are allowed: then stages that send requests cannot be opened, and nothing is compared by
   * meaning.
   */
  readonly services?: StageServices;
  /** Content id of the configuration. */
  readonly configHash: string;
}

/** Services of a stage. Throws if no requests are allowed. */
export function servicesOf({ services }: StageParts): StageServices {
  if (!services) throw new Error('a stage that asks models was opened where nothing may be asked');
  return services;
}
