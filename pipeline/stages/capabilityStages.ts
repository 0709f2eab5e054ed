import type { AnswerCache } from '../../contract/answerCache.ts';
import type { Session } from '../../contract/session.ts';
import type { StageKind, StageName } from '../../contract/stageTable.ts';
import type { LazySandbox } from '../compose/lazySandbox.ts';
import type { ConfigFingerprint } from '../config/fingerprintConfig.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import type { Need } from '../preflight.ts';
import type { OpenedStage } from '../run/stageState.ts';
import type { CapabilityServices, StageParts } from './stageParts.ts';

export interface StageOpener<Kind extends StageKind> {
  /** Opens the stage; models, servers and files wait until it has work. */
  open(parts: StageParts): Extract<OpenedStage, { kind: Kind }>['stage'];
  /** Checks the files of the stage before anything is spent on earlier ones. Throws `UserError`. */
  readonly checkFiles?: (loaded: LoadedConfig) => Promise<void>;
  readonly needs?: (loaded: LoadedConfig) => readonly Need[];
  /** True if the run's own process uses them even when workers do the work. Default: false. */
  readonly asksFirst?: (loaded: LoadedConfig) => boolean;
}

export type AnyStageOpener = { [Kind in StageKind]: StageOpener<Kind> }[StageKind];

export interface ServicesPlace {
  readonly loaded: LoadedConfig;
  readonly runFolder: string;
  readonly shaping: ConfigFingerprint;
  readonly sandbox: LazySandbox | undefined;
  /** Updates a worker's copies of the run's files; absent in the run's own folder. */
  readonly refresh?: () => Promise<void>;
  openAnswers(): Promise<AnswerCache>;
}

export interface CapabilityStages {
  readonly openers: { readonly [Name in StageName]?: AnyStageOpener };
  openServices(place: ServicesPlace, session: Session): CapabilityServices;
}

const registered: CapabilityStages[] = [];

/** Registers stages of a capability. Call before opening any run. */
export function registerStages(stages: CapabilityStages): void {
  registered.push(stages);
}

/** Opener that a capability registered for a stage. Throws if none did. */
export function registeredOpener(name: StageName): AnyStageOpener {
  const found = registered.find(({ openers }) => openers[name]);
  if (!found) throw new Error(`no capability has the stage ${name}: capabilities.ts was not imported`);
  return found.openers[name]!;
}

/** Services of all capabilities, each opened on first use. */
export function capabilityServices(place: ServicesPlace, session: Session): CapabilityServices {
  return Object.assign({}, ...registered.map((stages) => stages.openServices(place, session)));
}
