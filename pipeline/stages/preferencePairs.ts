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

/** Where pairs are looked for, and by what. */
export interface PairSource {
  readonly runFolder: string;
  /** Absent: the defaults. */
  readonly preference: PreferenceConfig | undefined;
  readonly filters: FiltersConfig;
  readonly profileOf: (name: string) => Profile | undefined;
}

/** The trajectories of one task, profile and prompt. */
interface Siblings {
  readonly chosen: PairCandidate[];
  readonly rejected: PairCandidate[];
}

/**
 * The pairs of a run, those of a task together, in the order of the dataset. The chosen side is a record of the stage
 * before `export`; the rejected one is a record of `judge` that the filter dropped as wrong, or with `by: score` any
 * that has a verdict. One that could not be scored is no record of `judge`; one that breaks its grammar, or holds a
 * secret for which the filter drops trajectories, is on no side. Holds the ids of what the filter dropped, and a few
 * numbers for each trajectory of tasks that have a rejected one.
 *
 * @throws UserError when records are damaged
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

/** Trajectories of each task that can be paired, in the order in which the tasks' first chosen ones come. */
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
  /** For what must not be in a dataset, whichever side it is on. */
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

/** Pairs share the task and all that stands before the answer; 128 bits of a hash. */
function promptKey({ task_id, profile, system, user }: Trajectory): string {
  const hash = sha256Hex(JSON.stringify([task_id, profile, system, user]));
  return Buffer.from(hash.slice(0, 32), 'hex').toString('latin1');
}

function candidateOf(index: number, trajectory: Trajectory): PairCandidate {
  const { id, quality } = trajectory;
  const [chars, text] = [charsOf(trajectory), textDigest(trajectory)];
  return { index, id, score: qualityScore(quality), chars, text };
}

/** As the filter hands trajectories on: what it dropped it did not mask. */
function withoutSecrets(trajectory: Trajectory, { filters, profileOf }: PairSource): Trajectory {
  const profile = profileOf(trajectory.profile);
  if (filters.secrets?.action !== 'mask' || profile === undefined) return trajectory;
  return maskSecrets(trajectory, trajectorySecrets(trajectory, profile, new Set(filters.secrets.kinds)));
}
