import { packageVersion } from '../../base/packageVersion.ts';
import type { AnswerCache } from '../../contract/answerCache.ts';
import type { Session } from '../../contract/session.ts';
import { startEmbeddedModel } from '../../pipeline/compose/embeddedModel.ts';
import type { LazySandbox } from '../../pipeline/compose/lazySandbox.ts';
import { openCachedTools } from '../../pipeline/compose/openCachedTools.ts';
import {
  chosenSampling,
  createModelOpener,
  type EmbeddedEndpoint,
  embeddedModel,
  placeOf,
} from '../../pipeline/compose/openModels.ts';
import type { ConfigFingerprint } from '../../pipeline/config/fingerprintConfig.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { toolsOf } from '../../pipeline/config/toolsConfig.ts';
import { synthesisRoles } from '../../schemas/taskSynthesis.ts';
import type { SynthesisRoles } from '../roles.ts';
import { solvesWithTools, synthesisModel } from '../synthesizeConfig.ts';
import { createSynthesisRoles } from './createSynthesisRoles.ts';

interface RolesPlace {
  readonly loaded: LoadedConfig;
  readonly shaping: ConfigFingerprint;
  readonly runFolder: string;
  readonly sandbox: LazySandbox | undefined;
  readonly cache: AnswerCache;
}

/** Opens the models and tools that make and check tasks, behind the cache, and for embedded ones their server. */
export async function openSynthesisRoles(place: RolesPlace, session: Session): Promise<SynthesisRoles> {
  const { loaded, cache } = place;
  const settings = loaded.config.synthesize!;
  const embedded = settings.backend === 'embedded' ? await openEmbedded(place, session) : undefined;
  const open = createModelOpener(session, cache);
  const wanted = solvesWithTools(settings) ? toolsOf(loaded) : new Set<string>();
  const tools = await openCachedTools({ ...place, wanted }, session);
  const models = new Map(
    synthesisRoles.map((role) => {
      const configured = synthesisModel(loaded.config, role);
      const { sampling, ...asked } = embedded ? embeddedModel(configured, embedded) : configured;
      const chat = open({ ...placeOf(asked, session), plays: embedded?.plays });
      // The embedded model draws each of several tries by its seed.
      const own = embedded && { seed: loaded.config.seed };
      return [role, { chat, sampling: { ...own, ...chosenSampling(sampling) } }];
    }),
  );
  return createSynthesisRoles({ models: (role) => models.get(role)!, tools: [...tools.values()] });
}

async function openEmbedded(
  { loaded, runFolder }: RolesPlace,
  { resources }: Session,
): Promise<EmbeddedEndpoint> {
  const { createSynthesisPlayer } = await import('../player/createSynthesisPlayer.ts');
  const { seed } = loaded.config;
  const script = createSynthesisPlayer(seed);
  const baseUrl = await startEmbeddedModel(runFolder, { script }, resources);
  return { baseUrl, plays: { seed, version: packageVersion() } };
}
