import type { ImportedFiles } from '../../schemas/run/runFile.ts';
import { rowsToImport } from '../../teachers/importers/createImportSource.ts';
import { runReaders } from '../../teachers/importers/formats.ts';
import { RowRefusal } from '../../teachers/importers/rowRefusal.ts';
import type { ForeignRun, Reading } from '../../teachers/importers/runs/foreignRun.ts';
import {
  BUILT_PROFILE,
  type BuiltProfile,
  profileOfRuns,
} from '../../teachers/importers/survey/profileOfRuns.ts';
import { RunSurvey } from '../../teachers/importers/survey/runSurvey.ts';

/**
 * Reads the rows of files once to build a profile for them: for all where a profile is asked for by name, or else for
 * those that don't say theirs, where these call tools.
 */
export async function surveyFiles(imported: ImportedFiles): Promise<BuiltProfile | undefined> {
  const isAsked = imported.profile !== undefined;
  const survey = new RunSurvey(new Map(Object.entries(imported.tools)));
  for await (const run of runsIn(imported)) if (isAsked || saysNoProfile(run)) survey.add(run);
  return isAsked || survey.tools.size > 0 ? profileOfRuns(survey) : undefined;
}

/** Rows that were exported from a run whose profile was built name that, and another is built for them. */
function saysNoProfile({ own }: ForeignRun): boolean {
  return own === undefined || own.task.profile === BUILT_PROFILE;
}

/** How the rows of imported files are read. */
export function readingOf({ turns, on_unread: onUnread = 'refuse' }: ImportedFiles): Reading {
  return { onUnread, ...(turns && { turns }) };
}

/** The runs in the files, without the rows that can't be read: importing refuses them with the reason. */
async function* runsIn(imported: ImportedFiles): AsyncGenerator<ForeignRun> {
  const { format, files } = imported;
  if (format === 'afm') return;
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
