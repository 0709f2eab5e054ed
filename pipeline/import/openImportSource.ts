import type { SourceStage } from '../../contract/stage.ts';
import { hasStage } from '../../contract/stageTable.ts';
import { createIdDecoder } from '../../output/tokenizers/decodeIds.ts';
import { loadAddedTokens } from '../../output/tokenizers/loadAddedTokens.ts';
import { questionKey } from '../../schemas/questionKey.ts';
import type { ImportedFiles } from '../../schemas/run/runFile.ts';
import { type Trace, traceSchema } from '../../schemas/trace.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { measureQuality } from '../../stages/convert/measureQuality.ts';
import { importTraceRow, importTrajectoryRow } from '../../teachers/importers/createImporters.ts';
import { createImportSource, type ImportSourceOptions } from '../../teachers/importers/createImportSource.ts';
import type { StageParts } from '../stages/stageParts.ts';
import { readingOf } from './surveyFiles.ts';

/** The imported files in place of the stages that would have made their records. */
export function openImportSource(
  imported: ImportedFiles,
  { loaded, log }: StageParts,
): SourceStage<Trace> | SourceStage<Trajectory> {
  const { config, profiles } = loaded;
  if (hasStage('decontaminate', config))
    log(
      'import: decontaminate looks at tasks, and imported rows have none; use coa-distill decontaminate FILE on the files',
    );
  if (hasStage('probe', config))
    log('import: probe looks at tasks, and imported rows have none; filters.difficulty reads measured rates');
  const { format, tools, profile, built } = imported;
  const stated = profile === undefined ? {} : { profile };
  const common = {
    files: imported.files.map((file) => file.path),
    dropDuplicates: config.filters.duplicate_questions === 'drop',
    joinsMessages: format === 'openai',
  };
  if (format !== 'afm') {
    const options: ImportSourceOptions<Trace> = {
      ...common,
      stage: { name: 'rollout', version: 2, output: traceSchema },
      openRows: async () =>
        importTraceRow({
          format,
          ...stated,
          profileOf: profiles.profileOf,
          tools: new Map(Object.entries(tools)),
          ...readingOf(imported),
          ...(built && {
            built: { name: built.declaration.name, tools: new Map(Object.entries(built.tools)) },
          }),
        }),
      questionKey: ({ profile, task }) => questionKey(profile, task.question),
      keepRefused: false,
    };
    return createImportSource(options);
  }
  const options: ImportSourceOptions<Trajectory> = {
    ...common,
    stage: { name: 'convert', version: 2, output: trajectorySchema },
    openRows: async () => {
      const { escaper } = await loadAddedTokens(config.dataset.tokenizer);
      return importTrajectoryRow({
        profiles: profiles.profiles.filter(({ name }) => profile === undefined || name === profile),
        systemPrompt: config.dataset.system_prompt,
        unescapeTokens: (text) => escaper.unescape(text),
        measureQuality,
        decode: createIdDecoder(config.dataset.tokenizer),
      });
    },
    questionKey: ({ profile, question }) => questionKey(profile, question),
    keepRefused: true,
  };
  return createImportSource(options);
}
