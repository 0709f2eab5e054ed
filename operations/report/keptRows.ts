import { z } from 'zod';
import { Counts } from '../../base/counts.ts';
import { segmentWeights } from '../../output/rows/segmentWeights.ts';
import { stageBeforeExport } from '../../pipeline/run/runFile.ts';
import { stageRecords } from '../../pipeline/run/stageInputs.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { MaskConfig } from '../../schemas/config/dataset.ts';
import type { ProfileRows, ReportSample, TagShare } from '../../schemas/report.ts';
import { type Sample, sampleSchema } from '../../schemas/sample.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';

/** Maximum size of a dataset that is shown whole. */
const MAX_ALL = 500;
/** Trajectories shown per profile of a larger dataset. */
const SAMPLES_A_PROFILE = 2;

const figuresSchema = z.object({
  id: z.string(),
  profile: z.string(),
  quality: z.custom<Trajectory['quality']>(),
  segments: z.custom<Trajectory['segments']>(),
});
type Figures = z.infer<typeof figuresSchema>;

export async function keptRows(runFolder: string, source: MaskSource): Promise<readonly ProfileRows[]> {
  const profiles = new Map<string, RowCounter>();
  for await (const { sample, record } of exportedRecords(runFolder, figuresSchema)) {
    if (!record) continue;
    const { profile } = record;
    const counter = profiles.get(profile) ?? new RowCounter(profile);
    profiles.set(profile, counter);
    counter.add(sample, record, source);
  }
  return [...profiles.values()].map(({ profile, rows, tokens, trained_tokens, interactions, tags }) => ({
    profile,
    rows,
    tokens: [...tokens],
    trained_tokens: [...trained_tokens],
    interactions: [...interactions],
    tags: [...tags.values()],
  }));
}

class RowCounter {
  readonly profile: string;
  rows = 0;
  readonly tokens = new Counts<number>();
  readonly trained_tokens = new Counts<number>();
  readonly interactions = new Counts<number>();
  readonly tags = new Map<string, TagShare>();

  constructor(profile: string) {
    this.profile = profile;
  }

  add(sample: Sample, record: Figures, source: MaskSource): void {
    const { tokens, trained_tokens, repeats = 1 } = sample;
    this.#addTags(sample, record, source);
    this.rows += repeats;
    this.tokens.add(tokens, repeats);
    this.trained_tokens.add(trained_tokens, repeats);
    this.interactions.add(record.quality.interactions, repeats);
  }

  #addTags({ cut }: Sample, { segments, quality }: Figures, { profileOf, mask }: MaskSource): void {
    const profile = profileOf(this.profile);
    if (!profile) return;
    const kept = segments.slice(0, segments.length - (cut?.segments ?? 0));
    const weights = segmentWeights({ segments: kept, quality }, profile, mask);
    for (const [at, { tag, text }] of kept.entries()) {
      const before = this.tags.get(tag) ?? { tag, segments: 0, characters: 0, trained_characters: 0 };
      this.tags.set(tag, {
        tag,
        segments: before.segments + 1,
        characters: before.characters + text.length,
        trained_characters: before.trained_characters + (weights[at]! > 0 ? text.length : 0),
      });
    }
  }
}

interface MaskSource {
  readonly profileOf: (name: string) => Profile | undefined;
  readonly mask: MaskConfig;
}

/** Kept trajectories; the first of each profile if there are more than 500. */
export async function sampleTrajectories(
  runFolder: string,
  rows: readonly ProfileRows[],
  source: MaskSource,
): Promise<ReportSample[]> {
  const most = rows.reduce((sum, own) => sum + own.rows, 0) <= MAX_ALL ? MAX_ALL : SAMPLES_A_PROFILE;
  const shown = new Map<string, number>();
  const samples: ReportSample[] = [];
  for await (const { sample, record } of exportedRecords(runFolder, z.custom<Trajectory>())) {
    if (!record) continue;
    const count = shown.get(record.profile) ?? 0;
    if (count >= most) continue;
    shown.set(record.profile, count + 1);
    samples.push(reportSample(trajectorySchema.parse(record), sample, source));
  }
  return samples;
}

function reportSample(
  trajectory: Trajectory,
  { cut }: Sample,
  { profileOf, mask }: MaskSource,
): ReportSample {
  const profile = profileOf(trajectory.profile);
  if (!profile) throw new Error(`trajectory ${trajectory.id} has the unknown profile ${trajectory.profile}`);
  const segments = trajectory.segments.slice(0, trajectory.segments.length - (cut?.segments ?? 0));
  return { trajectory, weights: segmentWeights({ ...trajectory, segments }, profile, mask) };
}

/** Samples of a dataset with their source records, both in the same order; undefined if the source is gone. */
async function* exportedRecords<T extends { readonly id: string }>(
  runFolder: string,
  schema: z.ZodType<T>,
): AsyncGenerator<{ readonly sample: Sample; readonly record: T | undefined }> {
  const given = stageRecords(runFolder, await stageBeforeExport(runFolder), schema);
  try {
    for await (const { record: sample } of stageRecords(runFolder, 'export', sampleSchema)) {
      let next = await given.next();
      while (!next.done && next.value.record.id !== sample.id) next = await given.next();
      yield { sample, record: next.done ? undefined : next.value.record };
    }
  } finally {
    await given.return(undefined);
  }
}
