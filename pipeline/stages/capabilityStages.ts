import type { AnswerCache } from '../../contract/answerCache.ts';
import type { Session } from '../../contract/session.ts';
import type { StageKind, StageName } from '../../contract/stageTable.ts';
import type { LazySandbox } from '../compose/lazySandbox.ts';
import type { ConfigFingerprint } from '../config/fingerprintConfig.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import type { Need } from '../preflight.ts';
import type { OpenedStage } from '../run/stageState.ts';
import type { CapabilityServices, StageParts } from './stageParts.ts';

/** What a row of the stage table says that only a run needs: how the stage is opened, and what can be tried early. */
export interface StageOpener<Kind extends StageKind> {
  /** Opens nothing that costs: models, servers and files wait until the stage has work. */
  open(parts: StageParts): Extract<OpenedStage, { kind: Kind }>['stage'];
  /** Tries the files that the stage will open, before anything is spent on earlier ones. Throws `UserError`. */
  readonly checkFiles?: (loaded: LoadedConfig) => Promise<void>;
  /** The services that the stage asks. */
  readonly needs?: (loaded: LoadedConfig) => readonly Need[];
  /** True if the run's own process asks them too where workers elsewhere do the work; absent: no. */
  readonly asksFirst?: (loaded: LoadedConfig) => boolean;
}

/** An opener of a stage of any kind. */
export type AnyStageOpener = { [Kind in StageKind]: StageOpener<Kind> }[StageKind];

/** What services of a run are opened with. */
export interface ServicesPlace {
  readonly loaded: LoadedConfig;
  readonly runFolder: string;
  readonly shaping: ConfigFingerprint;
  readonly sandbox: LazySandbox | undefined;
  /** Brings a worker's copies of the run's files up to date; absent in the run's own folder. */
  readonly refresh?: () => Promise<void>;
  openAnswers(): Promise<AnswerCache>;
}

/** The stages of a capability, and what they ask besides what all stages do. */
export interface CapabilityStages {
  readonly openers: { readonly [Name in StageName]?: AnyStageOpener };
  openServices(place: ServicesPlace, session: Session): CapabilityServices;
}

const registered: CapabilityStages[] = [];

/** Registers stages of a capability. To be called before any run is opened. */
export function registerStages(stages: CapabilityStages): void {
  registered.push(stages);
}

/** What a capability says of one of its stages. Throws where none has registered it. */
export function registeredOpener(name: StageName): AnyStageOpener {
  const found = registered.find(({ openers }) => openers[name]);
  if (!found) throw new Error(`no capability has the stage ${name}: capabilities.ts was not imported`);
  return found.openers[name]!;
}

/** The services of all capabilities, each opened when a stage first asks it. */
export function capabilityServices(place: ServicesPlace, session: Session): CapabilityServices {
  return Object.assign({}, ...registered.map((stages) => stages.openServices(place, session)));
}
