import { prepareDataset } from '../../output/dataset/prepareDataset.ts';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import { embeddingEndpointOf, embeddingKeyOf, membersOf } from '../../schemas/config/resolved/endpoints.ts';
import { wantedRows } from '../../tools/toolTable.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { toolsOf } from '../config/toolsOf.ts';
import { checkFilterTools } from './filterTools.ts';

/** A run that is about to work. */
export interface LateWork {
  readonly env: NodeJS.ProcessEnv;
  /** Nothing is asked, so that no key is needed. */
  readonly offline: boolean;
  /** The stages that it works on. */
  readonly work: ReadonlySet<string>;
}

/**
 * Tries what stages open only once traces are paid for: the tokenizer, the chat template and the formats of the
 * dataset, what filters measure with, the tokenizers of tools, and the keys of embeddings.
 *
 * @throws UserError for the first that can't be used
 */
export async function checkLateSettings(
  loaded: LoadedConfig,
  { env, offline, work }: LateWork,
): Promise<void> {
  await checkWriting(loaded);
  await checkFilterTools(loaded.config.filters);
  await checkToolTokenizers(loaded);
  if (!offline) checkEmbeddingKeys(loaded, env, work);
}

async function checkWriting({ name, config: { dataset, training } }: LoadedConfig): Promise<void> {
  const tokenizer = await loadTokenizer(dataset.tokenizer);
  try {
    await prepareDataset({ name, tokenizer, dataset, training });
  } finally {
    tokenizer.close();
  }
}

async function checkToolTokenizers(loaded: LoadedConfig): Promise<void> {
  const { tools } = loaded.config;
  for (const { row } of wantedRows(tools, toolsOf(loaded))) {
    const tokenizer = row.tokenizerOf(tools);
    if (tokenizer !== undefined) (await loadTokenizer(tokenizer)).close();
  }
}

function checkEmbeddingKeys(
  { config }: LoadedConfig,
  env: NodeJS.ProcessEnv,
  work: ReadonlySet<string>,
): void {
  const comparing = { questions: 'dedup', trajectories: 'select' } as const;
  for (const section of ['questions', 'trajectories'] as const) {
    if (!work.has(comparing[section])) continue;
    if (section === 'questions' && config.filters.duplicate_questions !== 'drop') continue;
    const endpoint = embeddingEndpointOf(config, section);
    for (const member of endpoint ? membersOf(endpoint) : []) embeddingKeyOf(section, member, env);
  }
}
