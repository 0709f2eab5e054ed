import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { UserError } from '../../base/userError.ts';
import { readRunFile } from '../../pipeline/run/openRun.ts';
import { readStageFile } from '../../pipeline/run/stageFiles.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import { readLedger } from '../../pipeline/run/stageJournals.ts';
import type { Config } from '../../schemas/config/config.ts';
import { type ProbeConfig, probeConfigSchema } from '../../schemas/config/probe.ts';
import { Moments } from './interval.ts';
import { readProbeUse } from './modelUse.ts';

/** What the probe of an earlier run took and let through. */
export interface ProbeSeen {
  /** Of the tasks, those that it let through. */
  readonly share: number;
  /** Of a task each. */
  readonly costUsd: Moments;
  readonly tokens: Moments;
  /** False where the model's price is not known. */
  readonly isPriced: boolean;
}

const taskSchema = z.object({ id: z.string() });

/**
 * What a probe by the same model and with the same range took; undefined where no model probes tasks.
 *
 * @throws UserError where the earlier run had another probe: what this one lets through is not known
 */
export async function seenProbe(runFolder: string, config: Config): Promise<ProbeSeen | undefined> {
  if (config.probe?.model === undefined) return undefined;
  const earlier = probeConfigSchema.safeParse((await readRunFile(runFolder))?.config.probe).data;
  const file = await readStageFile(runFolder, 'probe');
  if (!earlier || !file?.entered || !isDeepStrictEqual(whatItAsks(earlier), whatItAsks(config.probe)))
    throw new UserError(
      'probe: which share of tasks it lets through can be told from a run with the same probe alone; try some tasks first with --limit 20',
    );
  const use = await readProbeUse(runFolder, config);
  const [costUsd, tokens] = [new Moments(), new Moments()];
  for (const { costUsd: cost = 0, tokens: took } of await useOfTasks(runFolder, use)) {
    costUsd.add(cost);
    tokens.add(took);
  }
  const isPriced = [...use.values()].every(({ costUsd: cost }) => cost !== undefined);
  return { share: file.emitted_inputs / file.entered, costUsd, tokens, isPriced };
}

function whatItAsks({ model, tries, min_pass_rate, max_pass_rate }: ProbeConfig) {
  return { model, tries, min_pass_rate, max_pass_rate };
}

/** What each probed task took: nothing where the cache or a file answered. */
async function useOfTasks(runFolder: string, use: Awaited<ReturnType<typeof readProbeUse>>) {
  const nothing = { tokens: 0, costUsd: 0 };
  const all: { readonly tokens: number; readonly costUsd: number | undefined }[] = [];
  for await (const { record } of stageRecords(runFolder, 'probe', taskSchema))
    all.push(use.get(record.id) ?? nothing);
  for await (const { task_id } of readLedger(runFolder, 'probe')) all.push(use.get(task_id) ?? nothing);
  return all;
}
