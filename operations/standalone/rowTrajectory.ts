import { guessProfile } from '../../schemas/coa/guessProfile.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import { problemText } from '../../schemas/rows/datasetRow.ts';
import { readTrajectory } from '../../schemas/rows/trajectory.ts';
import type { Trajectory } from '../../schemas/trajectory.ts';
import { measureQuality } from '../../stages/convert/measureQuality.ts';
import { importDatasetRow } from '../../teachers/importers/importDatasetRow.ts';
import { BadRow, rowSaid, rowValue, type SourceRow } from './sourceRow.ts';

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
  const value = rowValue(row);
  const said = rowSaid(row, 'one_answer');
  if (said.format === 'trajectory') {
    const read = readTrajectory(value);
    if ('problem' in read) throw new BadRow(problemText(read));
    return read;
  }
  const profiles = [profileOfText(row, options)];
  return importDatasetRow(said, { profiles, systemPrompt: options.systemPrompt, measureQuality }).trajectory;
}

/** The profile of a row: the user's, the row's own, or the one that fits its tags. */
export function profileOfText(row: SourceRow, { profiles, profile }: RowTrajectoryOptions): Profile {
  const { text, profile: named } = rowSaid(row, 'one_answer');
  const stated = profile ?? profiles.profiles.find(({ name }) => name === named);
  return stated ?? guessProfile(profiles.profiles, text ?? '');
}
