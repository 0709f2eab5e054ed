import { type StageName, stagesAfter } from '../../contract/stageTable.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { Config } from '../../schemas/config/config.ts';
import { questionKey } from '../../schemas/questionKey.ts';
import type { ImportedFiles } from '../../schemas/run/importedFiles.ts';
import { type Trace, traceSchema } from '../../schemas/trace.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { measureQuality } from '../../stages/convert/measureQuality.ts';
import { importTraceRow, importTrajectoryRow } from '../../teachers/importers/createImporters.ts';
import { createImportSource, type ImportSourceOptions } from '../../teachers/importers/createImportSource.ts';
import type { PlannedStage } from '../run/plannedStage.ts';

/** What {@link importedStages} works with. */
export interface ImportedStagesOptions {
  readonly imported: ImportedFiles;
  readonly config: Config;
  readonly profiles: ProfileRegistry;
  /** The stages of a run that begins with tasks. */
  readonly stages: readonly PlannedStage[];
  readonly log: (line: string) => void;
}

/** The stage that imported rows become the records of: rows of `afm` are trajectories, the others traces. */
export function importingStage({ format }: Pick<ImportedFiles, 'format'>): StageName {
  return format === 'afm' ? 'convert' : 'rollout';
}

/** The stages of an imported run: the files in place of what would have made their records, then the usual ones. */
export function importedStages(options: ImportedStagesOptions): PlannedStage[] {
  const { imported, stages } = options;
  if (stages.some(({ stage }) => stage.name === 'decontaminate'))
    options.log(
      'import: decontaminate looks at tasks, and imported rows have none; use coa-distill decontaminate FILE on the files',
    );
  const later = stages.filter(({ stage }) => stagesAfter(importingStage(imported)).includes(stage.name));
  return [sourceOf(options), ...later];
}

function sourceOf({ imported, config, profiles, log }: ImportedStagesOptions): PlannedStage {
  const { format, tools, profile, turns } = imported;
  const stated = profile === undefined ? {} : { profile };
  const common = {
    files: imported.files.map((file) => file.path),
    onRemarks: (remarks: ReadonlyMap<string, number>) => sayRemarks(remarks, log),
    dropDuplicates: config.filters.duplicate_questions === 'drop',
  };
  if (format !== 'afm') {
    const options: ImportSourceOptions<Trace> = {
      ...common,
      stage: { name: 'rollout', output: traceSchema },
      importRow: importTraceRow({
        format,
        ...stated,
        profileOf: profiles.profileOf,
        tools: new Map(Object.entries(tools)),
        ...(turns && { turns }),
      }),
      questionKey: ({ profile, task }) => questionKey(profile, task.question),
      keepRefused: false,
    };
    return { kind: 'source', stage: createImportSource(options) };
  }
  const options: ImportSourceOptions<Trajectory> = {
    ...common,
    stage: { name: 'convert', output: trajectorySchema },
    importRow: importTrajectoryRow({
      profiles: profiles.profiles.filter(({ name }) => profile === undefined || name === profile),
      systemPrompt: config.dataset.system_prompt,
      measureQuality,
    }),
    questionKey: ({ profile, question }) => questionKey(profile, question),
    keepRefused: true,
  };
  return { kind: 'source', stage: createImportSource(options) };
}

function sayRemarks(remarks: ReadonlyMap<string, number>, log: (line: string) => void): void {
  for (const [code, rows] of [...remarks].sort(([a], [b]) => (a < b ? -1 : 1)))
    log(`import: ${code} in ${rows} rows`);
}
