import type { JsonObject } from '../../base/json.ts';
import { profileOfRow } from '../../output/lint/lintRows.ts';
import type { RowText } from '../../output/lint/read/rowText.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import {
  type TrajectoryRow,
  trajectoryOfRow,
  trajectoryRowSchema,
} from '../../schemas/trainers/trajectoryRow.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { measureQuality } from '../../stages/convert/measureQuality.ts';
import { importAfmRow } from '../../teachers/importers/importAfmRow.ts';
import { questionInPrompt, rowPrompt } from './rowQuestion.ts';
import { BadRow, rowTrajectoryText, rowValue, type SourceRow } from './sourceRow.ts';

export interface RowTrajectoryOptions {
  readonly profiles: ProfileRegistry;
  /** The profile of every row, where the user names one; otherwise the row's own, or the one that fits its tags. */
  readonly profile: Profile | undefined;
  /** System turn of rows that have none. */
  readonly systemPrompt: string;
}

/**
 * The trajectory in a row of one of the known layouts.
 *
 * @throws BadRow for a row of no known layout
 * @throws RowRefusal for a row whose text does not parse
 */
export function rowTrajectory(row: SourceRow, options: RowTrajectoryOptions): Trajectory {
  const text = rowTrajectoryText(row);
  const value = rowValue(row);
  return text.layout === 'trajectory' ? ownTrajectory(value) : taggedTrajectory(value, text, options);
}

/** The profile of a row: the user's, the row's own, or the one that fits its tags. */
export function profileOfText(text: RowText, { profiles, profile }: RowTrajectoryOptions): Profile {
  return profileOfRow(text, { profiles: profiles.profiles, profile }).profile;
}

/** A record of a run, or a line of `trajectories.jsonl`, whose tests are a text or null. */
function ownTrajectory(value: JsonObject): Trajectory {
  const isLine = value.tests === null || typeof value.tests === 'string';
  const parsed = isLine ? trajectoryRowSchema.safeParse(value) : trajectorySchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new BadRow(`${issue?.path.join('.')}: ${issue?.message}`);
  }
  return isLine ? trajectoryOfRow(parsed.data as TrajectoryRow) : (parsed.data as Trajectory);
}

function taggedTrajectory(value: JsonObject, text: RowText, options: RowTrajectoryOptions): Trajectory {
  const profile = profileOfText(text, options);
  const prompt = rowPrompt(value);
  const user = prompt?.user ?? '';
  const { instruction: _, input: __, output: ___, ...columns } = value;
  const { trajectory } = importAfmRow(
    { ...columns, instruction: questionInPrompt(user, options.profiles.profiles), output: text.text },
    { profiles: [profile], systemPrompt: prompt?.system ?? options.systemPrompt, measureQuality },
  );
  return { ...trajectory, user };
}
