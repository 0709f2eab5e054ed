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
  /** Profile of every row, if the user names one; default: the row's own, or the one matching its tags. */
  readonly profile: Profile | undefined;
  /** System turn for rows without one. */
  readonly systemPrompt: string;
}

/**
 * Parses the trajectory of a row in any known layout.
 *
 * @throws BadRow for an unknown layout
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

/** Profile of a row: the user's, the row's own, or the one matching its tags. */
export function profileOfText(row: SourceRow, { profiles, profile }: RowTrajectoryOptions): Profile {
  const { text, profile: named } = rowSaid(row, 'one_answer');
  const stated = profile ?? profiles.profiles.find(({ name }) => name === named);
  return stated ?? guessProfile(profiles.profiles, text ?? '');
}
