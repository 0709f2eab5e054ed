import { sha256Hex } from '../../base/ids.ts';
import type { PreferencePair } from '../../contract/datasetWriter.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { FiltersConfig } from '../../schemas/config/filters.ts';
import { type PreferenceConfig, preferenceConfigSchema } from '../../schemas/config/preference.ts';
import { qualityScore } from '../../schemas/qualityScore.ts';
import { isJudgedCorrect, type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { charsOf, textDigest } from '../../schemas/trajectoryText.ts';
import { choosePairs, type PairCandidate } from '../../stages/choosePairs.ts';
import { maskSecrets, trajectorySecrets } from '../../stages/filter/trajectorySecrets.ts';
import { stageBeforeExport } from '../run/runFile.ts';
import { StageInputs } from '../run/stageInputs.ts';
import { readLedger } from '../run/stageJournals.ts';

export interface PairSource {
  readonly runFolder: string;
  /** Default: the default settings. */
  readonly preference: PreferenceConfig | undefined;
  readonly filters: FiltersConfig;
  readonly profileOf: (name: string) => Profile | undefined;
}

/** Trajectories with the same task, profile and prompt. */
interface Siblings {
  readonly chosen: PairCandidate[];
  readonly rejected: PairCandidate[];
}

/**
 * Preference pairs of a run in dataset order, grouped by task. The chosen side is a record of the stage before
 * `export`. The rejected side is a record of `judge` that the filter dropped as wrong, or with `by: score` any with a
 * verdict. Excludes unscored trajectories, those that break the grammar, and those with a secret if the filter drops
 * them. Memory: the ids of filtered records, and a few numbers per trajectory of tasks with a rejected one.
 *
 * @throws UserError if records are damaged
 */
export async function* preferencePairs(
  source: PairSource,
  signal: AbortSignal,
): AsyncGenerator<PreferencePair> {
  const preference = source.preference ?? preferenceConfigSchema.parse({});
  await using judged = await StageInputs.open(source.runFolder, 'judge');
  await using kept = await StageInputs.open(source.runFolder, await stageBeforeExport(source.runFolder));
  const siblings = await findSiblings(source, preference, judged, kept);
  for (const ofTask of siblings) {
    for (const { chosen, rejected } of choosePairs(ofTask, preference)) {
      signal.throwIfAborted();
      yield {
        chosen: await kept.recordAt(trajectorySchema, chosen.index),
        rejected: withoutSecrets(await judged.recordAt(trajectorySchema, rejected.index), source),
      };
    }
  }
}

/** Trajectories of each task that can be paired, ordered by the tasks' first chosen ones. */
async function findSiblings(
  { runFolder }: PairSource,
  { by }: PreferenceConfig,
  judged: StageInputs,
  kept: StageInputs,
): Promise<Iterable<Siblings>> {
  const dropped = await readDropped(runFolder);
  const found = new Map<string, Siblings>();
  for await (const { index, record } of judged.read(trajectorySchema)) {
    if (dropped.unusable.has(record.id)) continue;
    if (by === 'answer' ? !dropped.wrong.has(record.id) : !isJudged(record)) continue;
    const key = promptKey(record);
    const siblings = found.get(key) ?? { chosen: [], rejected: [] };
    siblings.rejected.push(candidateOf(index, record));
    found.set(key, siblings);
  }
  const paired = new Set<Siblings>();
  for await (const { index, record } of kept.read(trajectorySchema)) {
    if (by === 'answer' ? !isJudgedCorrect(record) : !isJudged(record)) continue;
    const siblings = found.get(promptKey(record));
    if (siblings === undefined) continue;
    siblings.chosen.push(candidateOf(index, record));
    paired.add(siblings);
  }
  return paired;
}

interface Dropped {
  readonly wrong: ReadonlySet<string>;
  /** Drop reasons that exclude a trajectory from both sides. */
  readonly unusable: ReadonlySet<string>;
}

const unusableReasons: ReadonlySet<unknown> = new Set(['invalid_grammar', 'secret_in_text']);

async function readDropped(runFolder: string): Promise<Dropped> {
  const [wrong, unusable] = [new Set<string>(), new Set<string>()];
  for await (const entry of readLedger(runFolder, 'filter')) {
    const findings = entry.kind === 'drop' ? entry.evidence.findings : undefined;
    const reasons = Array.isArray(findings) ? findings.map((finding) => reasonOf(finding)) : [];
    if (entry.kind === 'fail' || reasons.some((reason) => unusableReasons.has(reason)))
      unusable.add(entry.record_id);
    else if (reasons.includes('wrong_answer')) wrong.add(entry.record_id);
  }
  return { wrong, unusable };
}

function reasonOf(finding: unknown): unknown {
  return (finding as { readonly reason?: unknown } | null)?.reason;
}

function isJudged({ quality }: Trajectory): boolean {
  return quality.verdicts.some(({ subject }) => subject === 'answer');
}

/** Hash (128 bits) of the task and everything before the answer, which a pair must share. */
function promptKey({ task_id, profile, system, user }: Trajectory): string {
  const hash = sha256Hex(JSON.stringify([task_id, profile, system, user]));
  return Buffer.from(hash.slice(0, 32), 'hex').toString('latin1');
}

function candidateOf(index: number, trajectory: Trajectory): PairCandidate {
  const { id, quality } = trajectory;
  const [chars, text] = [charsOf(trajectory), textDigest(trajectory)];
  return { index, id, score: qualityScore(quality), chars, text };
}

/** Masks secrets as the filter does, which skips trajectories that it drops. */
function withoutSecrets(trajectory: Trajectory, { filters, profileOf }: PairSource): Trajectory {
  const profile = profileOf(trajectory.profile);
  if (filters.secrets?.action !== 'mask' || profile === undefined) return trajectory;
  return maskSecrets(trajectory, trajectorySecrets(trajectory, profile, new Set(filters.secrets.kinds)));
}
