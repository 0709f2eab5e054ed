import type { Clock } from '../base/clock.ts';
import { once } from '../base/once.ts';
import type { RunCalls } from '../contract/runCalls.ts';
import { asksJudgeModel, type ComparedSection } from '../schemas/config/resolved/endpoints.ts';
import { checkTokenizer } from './compose/checkTokenizer.ts';
import { composeStages } from './compose/composeStages.ts';
import { LazySandbox } from './compose/lazySandbox.ts';
import { LazyTeacher } from './compose/lazyTeacher.ts';
import { openCache } from './compose/openCache.ts';
import { openEmbeddingModel } from './compose/openEmbeddingModel.ts';
import type { OpenEmbeddings } from './compose/openEmbeddings.ts';
import { openJudgeModel } from './compose/openJudgeModel.ts';
import { openTeacher } from './compose/openTeacher.ts';
import { Resources } from './compose/resources.ts';
import { openSandbox } from './compose/tools/openSandbox.ts';
import { type ConfigFingerprint, fingerprintConfig } from './config/fingerprintConfig.ts';
import type { LoadedConfig } from './config/loadConfig.ts';
import { type FingerprintHashes, stageHashes } from './config/stageHashes.ts';
import { toolsOf } from './config/toolsOf.ts';
import { importedStages } from './import/importedStages.ts';
import type { PlannedStage } from './run/plannedStage.ts';

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
  readonly stages: readonly PlannedStage[];
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
  const { code } = loaded.config.tools;
  const sandbox = code && new LazySandbox(() => openSandbox(code, resources, log));
  const shaping = await fingerprintConfig(loaded);
  let hashes: FingerprintHashes | undefined;
  const planned = composeStages(
    {
      loaded,
      runFolder,
      teacher: new LazyTeacher(() =>
        openTeacher({ ...options, shaping, sandbox, wanted: toolsOf(loaded) }, resources),
      ),
      sandbox,
      openJudgeModel: judgeModelOpener(options, resources),
      openEmbeddings: embeddingOpener(options),
      configHash: () => hashes!.config,
    },
    resources,
  );
  const { imported, config, profiles } = loaded;
  const stages = imported ? importedStages({ imported, config, profiles, stages: planned, log }) : planned;
  hashes = stageHashes(shaping, new Map(stages.map(({ stage }) => [stage.name, stage.version])));
  return { stages, shaping, hashes, close: () => resources.closeAll() };
}

/** Opens the judge's model and its cache when it is first called; undefined where nothing is asked of one. */
function judgeModelOpener(options: ComposeOptions, resources: Resources) {
  const { loaded, runFolder, offline, log } = options;
  const { config } = loaded;
  if (!asksJudgeModel(config)) return undefined;
  return once(async () => {
    const cache = resources.keep(await openCache({ config, runFolder, offline, log }));
    return openJudgeModel({ ...options, config, cache });
  });
}

/** Opens the embeddings of each section of `dedup` when it is first asked for. */
function embeddingOpener(options: ComposeOptions): OpenEmbeddings {
  const { config } = options.loaded;
  const opener = (section: ComparedSection) =>
    once(async () => openEmbeddingModel({ ...options, config }, section));
  const openers = { questions: opener('questions'), trajectories: opener('trajectories') };
  return (section) => openers[section]();
}
