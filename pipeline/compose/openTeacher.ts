import type { JsonObject } from '../../base/json.ts';
import { packageVersion } from '../../base/packageVersion.ts';
import type { Resources } from '../../base/resources.ts';
import type { Session } from '../../contract/session.ts';
import type { Teacher } from '../../contract/teacher.ts';
import type { CompletionModel } from '../../contract/textModels.ts';
import { createTrajectoryPrompt } from '../../output/dataset/createTrajectoryPrompt.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { Config } from '../../schemas/config/config.ts';
import { playerConfigSchema } from '../../schemas/config/player.ts';
import { configOfMember, memberOf } from '../../schemas/config/resolved/mixture.ts';
import { promisesOf } from '../../schemas/config/resolved/promises.ts';
import { isMerged, sendsOneSchema } from '../../schemas/config/resolved/sectionModel.ts';
import { rolloutPlan } from '../../schemas/config/rollouts.ts';
import { asksEndpoint, playsAlone } from '../../schemas/config/teacherBackends.ts';
import type { StudentParts } from '../../teachers/coaModel/coaModelOptions.ts';
import { openCoaModelTeacher } from '../../teachers/coaModel/createCoaModelTeacher.ts';
import {
  createMultiAgentTeacher,
  type MultiAgentTeacherOptions,
} from '../../teachers/multiAgent/createMultiAgentTeacher.ts';
import { createMixedTeacher, type MixedMember } from '../../teachers/solving/createMixedTeacher.ts';
import type { ConfigFingerprint } from '../config/fingerprintConfig.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { toolsOf } from '../config/toolsConfig.ts';
import { startEmbeddedModel } from './embeddedModel.ts';
import type { LazySandbox } from './lazySandbox.ts';
import { openCache } from './openCache.ts';
import { openCachedTools } from './openCachedTools.ts';
import {
  chosenSampling,
  createModelOpener,
  type EmbeddedEndpoint,
  modelsByRole,
  openPlayedModel,
  samplingOf,
} from './openModels.ts';
import { askServerSlots, noServerSlots } from './serverSlots.ts';

interface TeacherPlace {
  readonly loaded: LoadedConfig;
  readonly shaping: ConfigFingerprint;
  readonly runFolder: string;
  readonly sandbox: LazySandbox | undefined;
}

/** Opens the teacher of a run with its cache, its tools and, for an embedded one, its server. */
export async function openTeacher(place: TeacherPlace, session: Session): Promise<Teacher> {
  const { loaded, runFolder } = place;
  const { config, profiles } = loaded;
  const cache = await openCache(config, runFolder, session);
  const tools = await openCachedTools({ ...place, cache, wanted: toolsOf(loaded) }, session);
  const open = createModelOpener(session, cache);
  const embedded = await openEmbedded(place, session.resources);
  const slots = embedded ? noServerSlots : await askServerSlots(config, session);
  const several = rolloutPlan(config.teacher).max > 1;
  const common = {
    tools,
    profileOf: profiles.profileOf,
    maxAsks: config.teacher.max_asks,
    budget: config.teacher.budget,
    clock: session.clock,
  };
  const teacher = await openMixed(config, async (own) => {
    const byRole = { config: own, whole: config, embedded, open, slots };
    const parts = {
      ...common,
      layout: own.teacher.layout,
      isMerged: (role) => isMerged(own, role),
      hasOneSchema: sendsOneSchema(own),
      promisesOf: (profile) => promisesOf(own, profile),
      modelFor: modelsByRole(byRole, session),
      // The seed tells rollouts of a scripted teacher apart.
      samplingFor: (role) => ({ ...(embedded && several && { seed: 0 }), ...samplingOf(own, role) }),
    } satisfies MultiAgentTeacherOptions;
    if (!playsAlone(own.teacher)) return createMultiAgentTeacher(parts);
    const place = { ...loaded, config: own };
    return openCoaModelTeacher({
      ...parts,
      ...(await openStudent(place, openPlayedModel(byRole, session), session)),
    });
  });
  return { ...teacher, freeSlots: open.freeSlots, slots: () => slots.tasks, onFreeSlots: open.onEnded };
}

/** Opens the teacher, or a mixture in which one member makes each rollout. */
async function openMixed(
  config: Config,
  create: (own: Config) => Teacher | Promise<Teacher>,
): Promise<Teacher> {
  const { mixture } = config.teacher;
  if (!mixture) return create(config);
  const members = new Map<string, MixedMember>();
  for (const member of mixture) {
    const own = configOfMember(config, member);
    const { name } = member;
    const { model, sampling } = own.teacher.model;
    members.set(name, { name, model, sampling: chosenSampling(sampling), teacher: await create(own) });
  }
  return createMixedTeacher(
    ({ id }, rollout) => members.get(memberOf(mixture, { task_id: id, rollout }).name)!,
  );
}

/** Starts the server of a scripted teacher; undefined for a user's endpoint. */
async function openEmbedded(
  { loaded, shaping, runFolder }: TeacherPlace,
  resources: Resources,
): Promise<EmbeddedEndpoint | undefined> {
  const { teacher } = loaded.config;
  if (asksEndpoint(teacher)) return undefined;
  const { loadScript } = await import('../../teachers/scripted/loadScript.ts');
  const baseUrl = await startEmbeddedModel(
    runFolder,
    {
      script: await loadScript(teacher.script!),
      tags: loaded.profiles.tags,
      firstSeed: teacher.model.sampling.seed ?? 0,
    },
    resources,
  );
  const { backend, script } = (shaping.rollout.teacher ?? {}) as JsonObject;
  return { baseUrl, plays: { backend, script, version: packageVersion() } as JsonObject };
}

/**
 * Prepares a CoA model: prompts use the dataset's tokenizer and chat template, as in training.
 *
 * @throws UserError if these are unusable
 */
async function openStudent(
  { config, profiles }: LoadedConfig,
  model: CompletionModel,
  { resources }: Pick<Session, 'resources'>,
): Promise<StudentParts> {
  const { teacher, tasks, dataset } = config;
  const named = new Set(tasks.sources.map(({ profile }) => profile));
  return {
    model,
    sampling: samplingOf(config, 'model'),
    prompt: resources.keep(await createTrajectoryPrompt(dataset)),
    systemPrompt: dataset.system_prompt,
    player: playerConfigSchema.parse(teacher.player ?? {}),
    profiles: [...named]
      .map(profiles.profileOf)
      .filter((profile): profile is Profile => profile !== undefined),
  };
}
