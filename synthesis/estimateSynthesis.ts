import { UserError } from '../base/userError.ts';
import type { LoadedConfig } from '../pipeline/config/loadConfig.ts';
import {
  estimateOf,
  FEWEST_SEEN,
  idsOf,
  type Kind,
  readUse,
  type WorkEstimate,
} from '../pipeline/estimate/estimateWork.ts';
import { intervalOf } from '../pipeline/estimate/interval.ts';
import { readStageFile } from '../pipeline/run/stageFiles.ts';
import { type ReadPage, readCorpus } from './corpus/readCorpus.ts';
import { createDocumentSource } from './stages/createDocumentSource.ts';

/**
 * Estimates a synthesis from an earlier one with `seeds.candidates` set, which read all facts and drew from all of
 * them.
 *
 * @param most - `seeds.candidates`
 * @throws UserError if the stage `check` of the earlier run is not done, or had too few candidates
 */
export async function estimateSynthesis(
  documents: number,
  folder: string,
  most = Number.POSITIVE_INFINITY,
): Promise<WorkEstimate> {
  const [facts, seeds, check] = await Promise.all(
    (['facts', 'seeds', 'check'] as const).map((stage) => readStageFile(folder, stage)),
  );
  if (!facts || !seeds || !check?.complete || seeds.emitted_inputs < FEWEST_SEEN)
    throw new UserError(
      `expected a run that has checked ${FEWEST_SEEN} candidates; try some first with --set synthesize.seeds.candidates=50 --name try`,
    );
  const candidates = seeds.emitted_inputs + (seeds.dropped.over_quota ?? 0);
  const left = Math.min(most, Math.round((candidates * documents) / facts.entered));
  const kinds: Kind[] = [
    { name: 'documents', ended: await idsOf(folder, 'documents'), left: documents },
    {
      name: 'candidates',
      ended: await idsOf(folder, 'seeds'),
      left,
      kept: { hits: check.emitted_inputs, of: seeds.emitted_inputs },
    },
  ];
  const use = await readUse(folder);
  const estimate = estimateOf(kinds, use, 1);
  // The checker is measured once, regardless of the number of candidates.
  const beside = use.get('checker');
  const withChecker = (of: 'requests' | 'tokens' | 'cost_usd') =>
    intervalOf((bound) => estimate[of][bound] + (beside?.[of] ?? 0));
  return {
    ...{ ...estimate, seen: seeds.emitted_inputs, left },
    ...{
      requests: withChecker('requests'),
      tokens: withChecker('tokens'),
      cost_usd: withChecker('cost_usd'),
    },
  };
}

/** Counts the documents of a synthesis; each page of a list counts as one without opening it. Writes nothing. */
export async function countDocuments(loaded: LoadedConfig, signal: AbortSignal): Promise<number> {
  const unread: ReadPage = async (address) => ({ address, text: address });
  const { limit } = loaded.config.synthesize!.seeds;
  const source = createDocumentSource((given) => readCorpus(loaded, unread, given), limit);
  let documents = 0;
  for await (const { outcome } of source.run({ signal })) if (outcome.kind === 'emit') documents++;
  return documents;
}
