import type { Clock } from '../base/clock.ts';
import { once } from '../base/once.ts';
import type { RunCalls } from '../contract/runCalls.ts';
import type { StageName } from '../contract/stageTable.ts';
import { asksJudgeModel, type ComparedSection } from '../schemas/config/resolved/endpoints.ts';
import { checkTokenizer } from './compose/checkTokenizer.ts';
import { LazySandbox } from './compose/lazySandbox.ts';
import { openCache } from './compose/openCache.ts';
import { openEmbeddingModel } from './compose/openEmbeddingModel.ts';
import { openJudgeModel } from './compose/openJudgeModel.ts';
import { openTeacher } from './compose/openTeacher.ts';
import { Resources } from './compose/resources.ts';
import { openSandbox } from './compose/tools/openSandbox.ts';
import { type ConfigFingerprint, fingerprintConfig } from './config/fingerprintConfig.ts';
import type { LoadedConfig } from './config/loadConfig.ts';
import { configHashOf, type FingerprintHashes, stageHashes } from './config/stageHashes.ts';
import { toolsOf } from './config/toolsOf.ts';
import { openTestStore } from './run/openTestStore.ts';
import type { OpenedStage, RunStage } from './run/runStage.ts';
import { stagePaths } from './run/stagePaths.ts';
import { openStage, stagesOfConfig } from './stages/stageOpeners.ts';
import type { StageParts, StageServices } from './stages/stageParts.ts';

/** What {@link compose} works with. */
export interface ComposeOptions {
  readonly loaded: LoadedConfig;
  readonly runFolder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Answers of models and tools come from the cache alone; no key is needed. */
  readonly offline: boolean;
  /** What calls of models and tools go through. */
  readonly calls: RunCalls;
  /** Told what the user should know, one line at a time. */
  readonly log: (line: string) => void;
}

/** A run's parts, wired. */
export interface Composition {
  readonly stages: readonly RunStage[];
  readonly shaping: ConfigFingerprint;
  readonly hashes: FingerprintHashes;
  /** Closes every server, sandbox and file that was opened. */
  close(): Promise<void>;
}

/** Wires a configuration into stages. Servers, tools and sandboxes open when the first stage asks for them. */
export async function compose(options: ComposeOptions): Promise<Composition> {
  const { loaded, runFolder, log } = options;
  await checkTokenizer(loaded.config);
  const resources = new Resources();
  const shaping = await fingerprintConfig(loaded);
  const services = stageServices(options, shaping, resources);
  const parts = { ...runParts(loaded, runFolder, shaping), services, resources, log };
  const opened = stagesOfConfig(loaded).map((name) => openStage(name, parts));
  const hashes = stageHashes(shaping, new Map(opened.map(({ stage }) => [stage.name, stage.version])));
  const stages = opened.map((stage) => runStage(stage, shaping, hashes));
  return { stages, shaping, hashes, close: () => resources.closeAll() };
}

/** The parts of stages that work in a run folder. */
export function runParts(loaded: LoadedConfig, runFolder: string, shaping: ConfigFingerprint) {
  return {
    loaded,
    runFolder,
    testStore: openTestStore(runFolder, { writes: true }),
    spillFolder: (stage: StageName) => stagePaths(runFolder, stage).folder,
    configHash: configHashOf(shaping),
  } satisfies Partial<StageParts>;
}

/** An opened stage with what it is to be. */
export function runStage(
  opened: OpenedStage,
  shaping: ConfigFingerprint,
  { stages }: FingerprintHashes,
): RunStage {
  const { name, version } = opened.stage;
  return { stage: name, version, configHash: stages.get(name)!, settings: shaping[name]!, opened };
}

function stageServices(
  options: ComposeOptions,
  shaping: ConfigFingerprint,
  resources: Resources,
): StageServices {
  const { loaded, runFolder, offline, log } = options;
  const { config } = loaded;
  const { code } = config.tools;
  const sandbox = code && new LazySandbox(() => openSandbox(code, resources, log));
  const embeddings = (section: ComparedSection) =>
    once(async () => openEmbeddingModel({ ...options, config }, section));
  const openers = { questions: embeddings('questions'), trajectories: embeddings('trajectories') };
  return {
    openTeacher: once(() =>
      openTeacher({ ...options, shaping, sandbox, wanted: toolsOf(loaded) }, resources),
    ),
    sandbox,
    openJudgeModel: asksJudgeModel(config)
      ? once(async () => {
          const cache = resources.keep(await openCache({ config, runFolder, offline, log }));
          return openJudgeModel({ ...options, config, cache });
        })
      : undefined,
    openEmbeddings: (section) => openers[section](),
  };
}
