import { UserError } from '../base/userError.ts';
import { type StageName, stagesBefore } from '../contract/stageTable.ts';
import { readFunnel } from '../operations/report/funnel.ts';
import { executeRun, type RunResult } from '../pipeline/executeRun.ts';
import { loadImport } from '../pipeline/import/loadImport.ts';
import { importingStage } from '../pipeline/import/openImportSource.ts';
import { type RefusalCount, refusalCounts } from '../pipeline/import/refusedRows.ts';
import type { ImportFormat } from '../teachers/importers/formats.ts';
import { finishRun } from './finishRun.ts';
import { formatTable } from './format.ts';
import { checkedRunName } from './runArguments.ts';
import { withProgress } from './withProgress.ts';

/** Options of `coa-distill import`. */
export interface ImportCommandOptions {
  readonly name: string;
  readonly profile?: string;
  readonly map?: readonly string[];
  readonly config?: string;
  readonly until?: StageName;
  readonly json?: true;
}

/** Said where finished trajectories come without a configuration that asks for filters. */
const filtersAreOff =
  'import: filters are off, and questions may repeat; with --config FILE rows are filtered by its settings';

/** Imports files into a run and prints how many rows became what. Returns the exit code. */
export async function importFromCommandLine(
  format: ImportFormat,
  files: readonly string[],
  { name, profile, map, config, until, json }: ImportCommandOptions,
): Promise<number> {
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
    ...(profile !== undefined && { profile }),
    ...(config !== undefined && { configFile: config }),
  });
  const goOn = `coa-distill import ${format} ... --name ${name}`;
  const result = await withProgress({ goOn, drains: true }, (surroundings) => {
    if (format === 'afm' && config === undefined) surroundings.log(filtersAreOff);
    return executeRun({ ...surroundings, loaded, name, until: until ?? first });
  });
  if (until !== undefined && until !== first) return finishRun(result, { json: json === true, startedMs });
  await printImport(result, first, json === true);
  return 0;
}

async function printImport({ folder, run }: RunResult, stage: StageName, json: boolean): Promise<void> {
  const counts = (await readFunnel(folder)).find((row) => row.stage === stage);
  const refused = await refusalCounts(folder, stage);
  const rows = { read: counts?.entered ?? 0, converted: counts?.emitted ?? 0 };
  if (json) {
    console.log(JSON.stringify({ run: run.name, folder, stage, rows, refused }));
    return;
  }
  const lines = [
    `${run.name}: ${rows.read} rows read, ${rows.converted} converted, ${rows.read - rows.converted} refused`,
    ...refusedLines(refused),
    '',
    `Next: coa-distill run coa.yaml --name ${run.name} --from ${stage === 'rollout' ? 'convert' : 'judge'}`,
  ];
  console.log(lines.join('\n'));
}

function refusedLines(refused: readonly RefusalCount[]): string[] {
  if (refused.length === 0) return [];
  const table = refused.map(({ reason, code, rows, example }) => [reason, code, rows, example.slice(0, 160)]);
  return formatTable([['refused', 'why', 'rows', 'first'], ...table]);
}
