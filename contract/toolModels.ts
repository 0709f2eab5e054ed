import type { ToolModelPart } from '../schemas/config/tools/toolSections.ts';
import type { ChatModel, Sampling } from './chatModel.ts';
import type { EmbeddingModel } from './embeddingModel.ts';

/** A chat model as a tool asks it. */
export interface ToolChatModel {
  readonly chat: ChatModel;
  readonly sampling: Sampling;
}

/** The models that tools ask, each opened when it is first needed. Both throw `UserError` without their key. */
export interface ToolModels {
  chatModel(part: ToolModelPart): Promise<ToolChatModel>;
  /** The model of `tools.wiki_search.dense`. */
  embeddings(): Promise<EmbeddingModel>;
}
