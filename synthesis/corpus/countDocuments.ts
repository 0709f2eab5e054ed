import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { createDocumentSource } from '../stages/createDocumentSource.ts';
import { type ReadPage, readCorpus } from './readCorpus.ts';

/** Counts the documents of a synthesis, each page of a list as one without opening it. Writes nothing. */
export async function countDocuments(loaded: LoadedConfig, signal: AbortSignal): Promise<number> {
  const unread: ReadPage = async (address) => ({ address, text: address });
  const { limit } = loaded.config.synthesize!.seeds;
  const source = createDocumentSource((given) => readCorpus(loaded, unread, given), limit);
  let documents = 0;
  for await (const { outcome } of source.run({ signal })) if (outcome.kind === 'emit') documents++;
  return documents;
}
