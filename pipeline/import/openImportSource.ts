import type { SourceStage } from '../../contract/stage.ts';
import { hasStage } from '../../contract/stageTable.ts';
import { createIdDecoder } from '../../output/tokenizers/decodeIds.ts';
import { loadAddedTokens } from '../../output/tokenizers/loadTokenizer.ts';
import { questionKey } from '../../schemas/question.ts';
import type { ImportedFiles } from '../../schemas/run/runFile.ts';
import { type Trace, traceSchema } from '../../schemas/trace.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import { measureQuality } from '../../stages/convert/measureQuality.ts';
import { importTraceRow, importTrajectoryRow } from '../../teachers/importers/createImporters.ts';
import {
  createImportSource,
  type ImportSourceOptions,
  rowsToImport,
} from '../../teachers/importers/createImportSource.ts';
import { runReaders } from '../../teachers/importers/formats.ts';
import { RowRefusal } from '../../teachers/importers/rowRefusal.ts';
import type { ForeignRun, Reading } from '../../teachers/importers/runs/foreignRun.ts';
import {
  BUILT_PROFILE,
  type BuiltProfile,
  profileOfRuns,
} from '../../teachers/importers/survey/profileOfRuns.ts';
import { RunSurvey } from '../../teachers/importers/survey/runSurvey.ts';
import type { StageParts } from '../stages/stageParts.ts';

/** Builds the source stage that replaces the stages which would have made the records. */
export function openImportSource(
  imported: ImportedFiles,
  { loaded, log }: StageParts,
): SourceStage<Trace> | SourceStage<Trajectory> {
  if (imported.format === 'sft') return noTrajectories;
  const { config, profiles } = loaded;
  if (hasStage('decontaminate', config))
    log(
      'import: decontaminate looks at tasks, and imported rows have none; use coa-distill decontaminate FILE on the files',
    );
  if (hasStage('probe', config))
    log(
      'import: probe looks at tasks, and imported rows have none; filters.pass_rate.from reads measured rates',
    );
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

/** Fine-tuning rows are mixed into the dataset unchanged, without records. */
const noTrajectories: SourceStage<Trajectory> = {
  name: 'convert',
  version: 1,
  output: trajectorySchema,
  async *run() {},
};

/**
 * Reads all rows once to build a profile: for every row if requested by name, otherwise for rows without a profile that
 * call tools.
 */
export async function surveyFiles(imported: ImportedFiles): Promise<BuiltProfile | undefined> {
  const isAsked = imported.profile !== undefined;
  const survey = new RunSurvey(new Map(Object.entries(imported.tools)));
  for await (const run of runsIn(imported)) if (isAsked || saysNoProfile(run)) survey.add(run);
  return isAsked || survey.tools.size > 0 ? profileOfRuns(survey) : undefined;
}

/** Rows exported from a run with a built profile name it, but get a new one. */
function saysNoProfile({ own }: ForeignRun): boolean {
  return own === undefined || own.task.profile === BUILT_PROFILE;
}

function readingOf({ turns, on_unread: onUnread = 'refuse' }: ImportedFiles): Reading {
  return { onUnread, ...(turns && { turns }) };
}

/** Runs in the files; unreadable rows are skipped here and refused with a reason by the import. */
async function* runsIn(imported: ImportedFiles): AsyncGenerator<ForeignRun> {
  const { format, files } = imported;
  if (format === 'afm' || format === 'sft') return;
  const readRun = runReaders[format];
  const reading = readingOf(imported);
  for (const { path } of files)
    for await (const row of rowsToImport(path, { joinsMessages: format === 'openai' })) {
      if ('problem' in row) continue;
      try {
        yield readRun(row.value, reading);
      } catch (error) {
        if (!(error instanceof RowRefusal)) throw error;
      }
    }
}
