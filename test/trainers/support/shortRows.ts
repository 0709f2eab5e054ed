import type { DatasetRow } from '../../../output/dataset/datasetFormat.ts';
import { renderRow } from '../../../output/dataset/renderRow.ts';
import { builtinProfile, builtinProfileNames } from '../../../schemas/coa/profiles/builtin.ts';
import { qwenSettings } from '../../output/support/qwen.ts';
import { trapTrajectories } from './trapTrajectories.ts';

/**
 * The shortest traps of each profile that hold an observation, the shortest first; always the same ones. A trainer's
 * time and memory grow with length x vocabulary: their 370 to 630 tokens take 3 GB.
 */
export async function shortRows(ofEachProfile: number): Promise<DatasetRow[]> {
  const rows: DatasetRow[] = [];
  for (const trajectory of trapTrajectories(500)) {
    if (!trajectory.segments.some((segment) => segment.origin === 'environment')) continue;
    rows.push(await renderRow(trajectory, builtinProfile(trajectory.profile)!, qwenSettings));
  }
  rows.sort((a, b) => a.inputIds.length - b.inputIds.length);
  const chosen = new Set(
    builtinProfileNames.flatMap((name) =>
      rows.filter((row) => row.trajectory.profile === name).slice(0, ofEachProfile),
    ),
  );
  return rows.filter((row) => chosen.has(row));
}
