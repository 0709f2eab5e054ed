import { join } from 'node:path';
import { UserError } from '../base/userError.ts';
import { type StageName, stagesBefore } from '../contract/stageTable.ts';
import { readFunnel } from '../operations/report/funnel.ts';
import { executeRun, type RunResult, runFolderOf } from '../pipeline/executeRun.ts';
import { PROFILE_FILE, profileYaml } from '../pipeline/import/importedRun.ts';
import { loadImport } from '../pipeline/import/loadImport.ts';
import { type RefusalCount, refusalCounts } from '../pipeline/import/refusedRows.ts';
import { importingStage } from '../pipeline/run/runFile.ts';
import { readStageFile } from '../pipeline/run/stageFiles.ts';
import type { ProfileDeclaration } from '../schemas/config/profiles.ts';
import type { OnUnread } from '../schemas/interchange/onUnread.ts';
import { goldColumns } from '../schemas/rows/rowCodec.ts';
import { noGold, notRead } from '../teachers/importers/createImportSource.ts';
import type { ImportFormat } from '../teachers/importers/formats.ts';
import { finishRun } from './finishRun.ts';
import { formatTable } from './format.ts';
import { runnable } from './programCommand.ts';
import { checkedRunName, commandLine } from './runArguments.ts';
import { withProgress } from './withProgress.ts';

export interface ImportCommandOptions {
  readonly name: string;
  readonly profile?: string;
  readonly map?: readonly string[];
  readonly onUnread?: OnUnread;
  readonly config?: string;
  readonly until?: StageName;
  readonly json?: true;
}

/** Notice for imported trajectories without configured filters. */
const filtersAreOff =
  'import: filters are off, but rows that break the grammar or answer wrongly are dropped; questions may repeat; with --config FILE rows are filtered by its settings';

/** Imports files into a run and prints the results by row. Returns the exit code. */
export async function importFromCommandLine(
  format: ImportFormat,
  files: readonly string[],
  options: ImportCommandOptions,
): Promise<number> {
  const { name, profile, map, onUnread, config, until, json } = options;
  const last = until ?? (format === 'sft' ? 'export' : importingStage({ format }));
  const startedMs = performance.now();
  const first = importingStage({ format });
  if (until !== undefined && stagesBefore(first).includes(until)) {
    throw new UserError(`--until: rows of ${format} are records of ${first}, which is after ${until}`);
  }
  const loaded = await loadImport({
    format,
    files,
    name: checkedRunName(name),
    map: map ?? [],
    profile,
    onUnread,
    configFile: config,
  });
  const built = loaded.imported?.built;
  if (built) console.error(builtText(built.declaration, runFolderOf(loaded, name)));
  const again = (changes: object) =>
    commandLine(['import', format, ...files], { ...options, json: false, ...changes });
  const result = await withProgress({ resume: again({}), drains: true }, (context) => {
    if (format === 'afm' && config === undefined) context.log(filtersAreOff);
    return executeRun({ ...context, loaded, name, until: last });
  });
  if (last !== first) return finishRun(result, { json: json === true, startedMs });
  await printImport(result, first, { next: again({ until: 'export' }), json: json === true });
  return 0;
}

/** Facts about a built profile for the user. */
function builtText(declaration: ProfileDeclaration, folder: string): string {
  const file = join(folder, PROFILE_FILE);
  return `import: the profile ${declaration.name} is built from the tools and the order of the rows, and written to ${file}:\n${profileYaml(declaration)}`;
}

async function printImport(
  { folder, run }: RunResult,
  stage: StageName,
  { next, json }: { readonly next: string; readonly json: boolean },
): Promise<void> {
  const counts = (await readFunnel(folder)).find((row) => row.stage === stage);
  const refused = await refusalCounts(folder, stage);
  const rows = { read: counts?.entered ?? 0, converted: counts?.emitted ?? 0 };
  const { remarks = {} } = (await readStageFile(folder, stage)) ?? {};
  if (json) {
    console.log(JSON.stringify({ run: run.name, folder, stage, rows, refused, remarks }));
    return;
  }
  const lines = [
    `${run.name}: ${rows.read} rows read, ${rows.converted} converted, ${rows.read - rows.converted} refused`,
    ...refusedLines(refused),
    ...accountLines(remarks, rows.converted),
    '',
    runnable(`Next: ${next}`),
  ];
  console.log(lines.join('\n'));
}

/** Unread parts of rows, and the number without a reference answer. */
function accountLines(remarks: Readonly<Record<string, number>>, rows: number): string[] {
  const unread = Object.entries(remarks).filter(([code]) => code.endsWith(notRead));
  const fields = unread.map(([code, count]) => `${code.slice(0, -notRead.length)} in ${count}`).join(', ');
  const without = remarks[noGold] ?? 0;
  return [
    ...(fields === '' ? [] : [`not read, of ${rows} rows: ${fields}`]),
    ...(without === 0
      ? []
      : [
          `no gold answer in ${without} of ${rows} rows, so no judge compares theirs; gold answers are read from ${goldColumns.join(', ')}`,
        ]),
  ];
}

function refusedLines(refused: readonly RefusalCount[]): string[] {
  if (refused.length === 0) return [];
  const table = refused.map(({ reason, code, rows, example }) => [reason, code, rows, example.slice(0, 160)]);
  return formatTable([['refused', 'why', 'rows', 'first'], ...table]);
}
