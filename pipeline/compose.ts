import { once } from '../base/once.ts';
import type { Session } from '../contract/session.ts';
import type { StageName } from '../contract/stageTable.ts';
import { checkModelTokenizer } from '../output/tokenizers/checkModelTokenizer.ts';
import { readTokenizerFile } from '../output/tokenizers/tokenizerFile.ts';
import type { Config } from '../schemas/config/config.ts';
import { BUNDLED_TOKENIZER } from '../schemas/config/dataset.ts';
import { runAsksJudgeModel } from '../schemas/config/resolved/endpoints.ts';
import { lazySandbox } from './compose/lazySandbox.ts';
import { openCache } from './compose/openCache.ts';
import { openEmbeddingModel, openJudgeModel, openProbedModel } from './compose/openSectionModels.ts';
import { openTeacher } from './compose/openTeacher.ts';
import { ownJudge } from './compose/ownModules.ts';
import { type ConfigFingerprint, fingerprintConfig } from './config/fingerprintConfig.ts';
import type { LoadedConfig } from './config/loadConfig.ts';
import { configHashOf, type FingerprintHashes, stageHashes } from './config/stageHashes.ts';
import { openTestStore } from './run/openTestStore.ts';
import { stagePaths } from './run/stageFiles.ts';
import type { OpenedStage, RunStage } from './run/stageState.ts';
import { capabilityServices, type ServicesPlace } from './stages/capabilityStages.ts';
import { openStage, stagesOfConfig } from './stages/stageOpeners.ts';
import type { StageParts, StageServices } from './stages/stageParts.ts';

export interface Composition {
  readonly stages: readonly RunStage[];
  readonly shaping: ConfigFingerprint;
  readonly hashes: FingerprintHashes;
}

/**
 * Wires a configuration into stages. Servers, tools and sandboxes open when the first stage asks for them, and are
 * closed with the session's resources.
 */
export async function compose(
  loaded: LoadedConfig,
  runFolder: string,
  session: Session,
): Promise<Composition> {
  if (!loaded.synthesis) await checkTokenizer(loaded.config);
  const shaping = await fingerprintConfig(loaded);
  const opened = openRunStages({ loaded, runFolder, shaping }, stagesOfConfig(loaded), session);
  const hashes = stageHashes(shaping, new Map(opened.map(({ stage }) => [stage.name, stage.version])));
  return { stages: opened.map((stage) => runStage(stage, shaping, hashes)), shaping, hashes };
}

type RunPlace = Omit<ServicesPlace, 'sandbox' | 'openAnswers'>;

export function openRunStages(place: RunPlace, names: readonly StageName[], session: Session): OpenedStage[] {
  const parts = { ...runParts(place), ...session, services: stageServices(place, session) };
  return names.map((name) => openStage(name, parts));
}

export function runParts({ loaded, runFolder, shaping }: RunPlace) {
  return {
    loaded,
    runFolder,
    testStore: openTestStore(runFolder, { writes: true }),
    spillFolder: (stage: StageName) => stagePaths(runFolder, stage).folder,
    configHash: configHashOf(shaping),
  } satisfies Partial<StageParts>;
}

export function runStage(
  opened: OpenedStage,
  shaping: ConfigFingerprint,
  { stages }: FingerprintHashes,
): RunStage {
  const { name, version } = opened.stage;
  return { stage: name, version, configHash: stages.get(name)!, settings: shaping[name]!, opened };
}

function stageServices(place: RunPlace, session: Session): StageServices {
  const { config } = place.loaded;
  const sandbox = lazySandbox(config.tools.code, session);
  const openAnswers = () => openCache(config, place.runFolder, session);
  const judging = ownJudge(config);
  return {
    openTeacher: once(() => openTeacher({ ...place, sandbox }, session)),
    sandbox,
    openJudgeModel: runAsksJudgeModel(config)
      ? once(async () => openJudgeModel(config, await openAnswers(), session))
      : undefined,
    ownJudge: judging && session.resources.keep(judging),
    openProbedModel: config.probe?.model
      ? once(async () => openProbedModel(config, await openAnswers(), session))
      : undefined,
    openEmbeddings: once(async () => openEmbeddingModel(config, session)),
    ...capabilityServices({ ...place, sandbox, openAnswers }, session),
  };
}

/**
 * Checks the tokenizer before any task is paid for; the export, which uses it, runs last.
 *
 * @throws UserError if the file is no tokenizer, or provably belongs to another model
 */
async function checkTokenizer({ dataset, training }: Config): Promise<void> {
  const isBundled = dataset.tokenizer === BUNDLED_TOKENIZER;
  if (!isBundled) await readTokenizerFile(dataset.tokenizer);
  await checkModelTokenizer(dataset.tokenizer, training.model);
}
