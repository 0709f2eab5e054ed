import { once } from '../../base/once.ts';
import { knownPrice } from '../../calls/budget/priceOf.ts';
import type { ChatModel } from '../../contract/chatModel.ts';
import type { EmbeddingModel } from '../../contract/embeddingModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Session } from '../../contract/session.ts';
import type { ToolChatModel, ToolModels } from '../../contract/tool.ts';
import { type MemberEndpoint, membersOf } from '../../schemas/config/resolved/endpoints.ts';
import {
  type ConfiguredToolModel,
  type ToolModelsConfig,
  toolModelKeyOf,
  toolModelMember,
  toolModelsOf,
} from '../../schemas/config/resolved/toolModels.ts';
import type { ToolModelPart } from '../../schemas/config/tools/toolSections.ts';
import { embeddingsAt } from './openEmbeddingModel.ts';
import { chosenSampling, type ModelPlace, poolMember } from './openModels.ts';

interface ToolModelsOptions {
  readonly config: ToolModelsConfig;
  /** The teacher's, so that models at one address share its limits. */
  readonly open: (place: ModelPlace) => ChatModel;
}

/**
 * The models that a configuration's tools ask. Chat models are behind the cache; embeddings are not, for an index keeps
 * them: offline, `embed` fails with `not_cached`.
 */
export function openToolModels(options: ToolModelsOptions, session: Session): ToolModels {
  const chatModels = new Map<ToolModelPart, Promise<ToolChatModel>>();
  return {
    chatModel: async (part) => {
      const opened = chatModels.get(part) ?? Promise.resolve(openChatModel(part, options, session));
      chatModels.set(part, opened);
      return opened;
    },
    embeddings: once(async () => openEmbeddings(options, session)),
  };
}

function openChatModel(part: ToolModelPart, options: ToolModelsOptions, session: Session): ToolChatModel {
  const { config, open } = options;
  const { sampling, ...place } = placeOf(part, config, session, (member) => toolModelMember(config, member));
  return { chat: open(place), sampling: chosenSampling(sampling ?? {}) };
}

function openEmbeddings({ config }: ToolModelsOptions, session: Session): EmbeddingModel {
  // Endpoints count embeddings apart from chats.
  const { sampling: _none, ...place } = placeOf('wiki_search.dense', config, session, (member) => member);
  if (!session.offline) return embeddingsAt(place, session);
  const { model } = place;
  return {
    embed: async () => {
      throw new RecordFailure(
        'not_cached',
        `--offline: embeddings of ${model} are not kept in the cache; run without --offline to ask for them`,
        { model },
      );
    },
  };
}

function placeOf(
  part: ToolModelPart,
  config: ToolModelsConfig,
  { env, offline }: Session,
  limited: (member: MemberEndpoint) => MemberEndpoint,
): ModelPlace & Pick<ConfiguredToolModel, 'sampling'> {
  const configured = toolModelsOf(config).find((found) => found.part === part);
  if (!configured) throw new Error(`tools.${part} is asked for and not configured`);
  const { model, sampling } = configured;
  const endpoint = { ...configured.endpoint, price: knownPrice(configured) };
  const members = membersOf(endpoint).map((member) =>
    poolMember(limited(member), offline ? undefined : toolModelKeyOf(part, member, env)),
  );
  return { model, endpoint, members, sampling };
}
