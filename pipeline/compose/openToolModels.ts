import { once } from '../../base/once.ts';
import type { ChatModel } from '../../contract/chatModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Session } from '../../contract/session.ts';
import type { EmbeddingModel } from '../../contract/textModels.ts';
import type { ToolChatModel, ToolModels } from '../../contract/tool.ts';
import { type SectionModel, sectionModel } from '../../schemas/config/resolved/sectionModel.ts';
import { type ToolModelsConfig, toolModelMember } from '../../schemas/config/resolved/toolModels.ts';
import type { ToolModelPart } from '../../schemas/config/tools/toolSections.ts';
import { chosenSampling, type ModelPlace, placeOf } from './openModels.ts';
import { embeddingsAt } from './openSectionModels.ts';

interface ToolModelsOptions {
  readonly config: ToolModelsConfig;
  /** Opener of the teacher, so that models at one address share its limits. */
  readonly open: (place: ModelPlace) => ChatModel;
}

/**
 * Models used by the configured tools. Chat models are cached; embeddings are not, since indexes store them: offline,
 * `embed` fails with `not_cached`.
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
  const asked = configured(part, config);
  const place = placeOf(asked, session, (member) => toolModelMember(config, member));
  return { chat: open(place), sampling: chosenSampling(asked.sampling) };
}

function openEmbeddings({ config }: ToolModelsOptions, session: Session): EmbeddingModel {
  // Endpoints count embedding requests apart from chat requests.
  const place = placeOf(configured('wiki_search.dense.model', config), session);
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

function configured(part: ToolModelPart, config: ToolModelsConfig): SectionModel {
  const asked = sectionModel(config, `tools.${part}`);
  if (!asked) throw new Error(`tools.${part} is asked for and not configured`);
  return asked;
}
