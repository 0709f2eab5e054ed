import { z } from 'zod';
import { quoteShellWord } from '../../base/shellWord.ts';
import { UserError } from '../../base/userError.ts';
import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';
import { readEvents } from '../../pipeline/run/eventLog.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { planSynthesis } from '../../pipeline/synthesis/planSynthesis.ts';
import { usageSchema } from '../../schemas/chat.ts';
import { candidateSchema } from '../../schemas/synthesis/candidate.ts';
import { documentSchema } from '../../schemas/synthesis/fact.ts';
import { countWithin, forecastCount, forecastSum, type Interval, intervalOf, Moments } from './interval.ts';

/** What a synthesis is expected to take and give. */
export interface SynthesisForecast {
  readonly documents: number;
  /** Facts that become questions. */
  readonly candidates: number;
  /** Those of the earlier run that the forecast is made from. */
  readonly seen_candidates: number;
  /** As many must be seen for tokens and cost to end within 20% of what is forecast, in 95 of 100 cases. */
  readonly candidates_for_20_percent: number;
  /** Requests that the cache does not answer, retries aside. */
  readonly requests: Interval;
  readonly tokens: Interval;
  /** At the prices of the earlier run; 0 where none was set. */
  readonly cost_usd: Interval;
  /** Candidates that pass all checks. */
  readonly passed: Interval;
}

/** Fewest candidates that a forecast is made from. */
const FEWEST_SEEN = 20;

/**
 * Forecasts a synthesis from what documents and candidates of an earlier one took: one with `seeds.candidates` set, so that
 * all facts were read and some drawn from all of them.
 *
 * @throws UserError where the stage `check` of the earlier run is not done, had too few candidates, or asked the cache
 */
export async function forecastSynthesis(loaded: LoadedConfig, folder: string): Promise<SynthesisForecast> {
  const [facts, seeds, check] = await Promise.all(
    ['facts', 'seeds', 'check'].map((stage) => readStageFile(folder, stage)),
  );
  if (!facts || !seeds || !check?.complete || seeds.emitted_inputs < FEWEST_SEEN)
    throw new UserError(
      `expected an earlier run that has checked ${FEWEST_SEEN} candidates at least; try some first: coa-distill synthesize ${quoteShellWord(loaded.document.file)} --set synthesize.seeds.candidates=50 --name try`,
    );
  const { documents } = await planSynthesis(loaded, new AbortController().signal);
  const { candidates: most = Number.POSITIVE_INFINITY } = loaded.config.synthesize!.seeds;
  const there = seeds.emitted_inputs + (seeds.dropped.over_quota ?? 0);
  const candidates = Math.min(most, Math.round((there * documents) / facts.entered));
  const use = await readUse(folder);
  const beside = use.get('checker');
  const [read, asked] = await Promise.all([
    idsOf(folder, 'documents', documentSchema),
    idsOf(folder, 'seeds', candidateSchema),
  ]);
  const sampled = (left: number, ids: readonly string[], of: keyof Use) => ({
    left,
    seen: momentsOf(ids.map((id) => use.get(id)?.[of] ?? 0)),
  });
  const total = (of: keyof Use) => {
    const rest = forecastSum([sampled(documents, read, of), sampled(candidates, asked, of)]);
    return intervalOf((bound) => rest[bound] + (beside?.[of] ?? 0));
  };
  const [tokens, cost_usd] = [total('tokens'), total('cost_usd')];
  const needed = (of: 'tokens' | 'cost_usd', { expected }: Interval) =>
    expected === 0 ? 0 : countWithin(0.2, sampled(candidates, asked, of), expected);
  return {
    ...{ documents, candidates, seen_candidates: seeds.emitted_inputs },
    candidates_for_20_percent: Math.max(needed('tokens', tokens), needed('cost_usd', cost_usd)),
    ...{ requests: total('requests'), tokens, cost_usd },
    passed: forecastCount(check.emitted_inputs, seeds.emitted_inputs, candidates),
  };
}

interface Use {
  readonly requests: number;
  readonly tokens: number;
  readonly cost_usd: number;
}

const callSchema = z.object({
  event: z.literal('model_call'),
  task_id: z.string(),
  usage: usageSchema.optional(),
  cost_usd: z.number().default(0),
});

/** What models took, by the document or candidate that they were asked about. */
async function readUse(folder: string): Promise<Map<string, Use>> {
  const use = new Map<string, Use>();
  for await (const { task_id, usage, cost_usd } of readEvents(folder, '"event":"model_call"', callSchema)) {
    const before = use.get(task_id) ?? { requests: 0, tokens: 0, cost_usd: 0 };
    use.set(task_id, {
      requests: before.requests + 1,
      tokens: before.tokens + (usage ? usage.prompt_tokens + usage.completion_tokens : 0),
      cost_usd: before.cost_usd + cost_usd,
    });
  }
  return use;
}

async function idsOf<T extends { readonly id: string }>(
  folder: string,
  stage: string,
  schema: z.ZodType<T>,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const { record } of stageRecords(folder, stage, schema)) ids.push(record.id);
  return ids;
}

function momentsOf(values: readonly number[]): Moments {
  const moments = new Moments();
  for (const value of values) moments.add(value);
  return moments;
}
