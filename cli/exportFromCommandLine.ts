import { relative } from 'node:path';
import { UserError } from '../base/userError.ts';
import type { StageName } from '../contract/stageTable.ts';
import { addDatasetFormats } from '../operations/exportRecords/addDatasetFormats.ts';
import { exportRun } from '../operations/exportRecords/exportRun.ts';
import { formatTable } from '../output/dataset/formatTable.ts';
import { type ExportFormat, exportFormats } from '../output/interchange/exportRun.ts';
import { findRun } from '../pipeline/run/findRun.ts';
import { stageBeforeExport } from '../pipeline/run/runFile.ts';
import {
  type DatasetFormatName,
  datasetFormatNames,
  formatAliases,
} from '../schemas/config/datasetFormatNames.ts';
import type { Manifest } from '../schemas/manifest.ts';
import { preferenceNotice } from '../schemas/preferenceCounts.ts';
import { rlTaskNotice } from '../schemas/training/taskLine.ts';

interface ExportArguments {
  readonly to: readonly (ExportFormat | DatasetFormatName | keyof typeof formatAliases)[];
  readonly stage?: StageName;
  readonly out?: string;
  readonly json?: true;
}

/**
 * Writes a stage's records in another system's format, or adds formats to the dataset.
 *
 * @throws UserError for names of both kinds, and for options of the other kind
 */
export async function exportFromCommandLine(name: string, options: ExportArguments): Promise<void> {
  const aliases: Readonly<Record<string, string>> = formatAliases;
  const to = options.to.map((format) => aliases[format] ?? format);
  const others = exportFormats.filter((format) => to.includes(format));
  const formats = datasetFormatNames.filter((format) => to.includes(format));
  const [other, second] = others;
  if (other === undefined) return addToDataset(name, formats, options);
  if (second !== undefined || formats.length > 0) {
    const rest = [...others, ...formats].filter((format) => format !== other);
    throw new UserError(
      `--to: ${other} is written by itself, got ${rest.join(', ')} beside it; export one after the other`,
    );
  }
  const { folder } = await findRun(name);
  const { stage, out, json } = options;
  const result = await exportRun({ runFolder: folder, format: other, stage, out });
  if (json) return console.log(JSON.stringify({ format: other, ...result }));
  console.log(`${result.records} records of ${result.stage} written to ${result.path}`);
  if (stage === undefined && result.stage !== (await stageBeforeExport(folder)))
    console.error(
      `note: ${result.stage} is the last complete stage of the run; nothing later has dropped records yet`,
    );
}

async function addToDataset(
  name: string,
  formats: readonly DatasetFormatName[],
  { stage, out, json }: ExportArguments,
): Promise<void> {
  const stray = stage === undefined ? (out === undefined ? undefined : '--out') : '--stage';
  if (stray !== undefined)
    throw new UserError(
      `${stray}: for atif, adp and openai only; ${formats.join(', ')} are formats of the dataset and go into its folder`,
    );
  const { folder: runFolder } = await findRun(name);
  const { added, folder, manifest } = await addDatasetFormats({ runFolder, formats });
  const shown = relative(process.cwd(), folder) || folder;
  if (json) return console.log(JSON.stringify({ folder, rows: manifest.rows, added }));
  const there = formats.filter((format) => !added.includes(format));
  if (there.length > 0) console.log(`${there.join(', ')}: in ${shown} already`);
  for (const format of added) console.log(`${contentOf(format, manifest)} written to ${shown}/${format}`);
}

function contentOf(format: DatasetFormatName, { rows, preference, rl_tasks }: Manifest): string {
  const { records } = formatTable[format];
  if (records === 'task' && rl_tasks) return rlTaskNotice(rl_tasks);
  return records === 'pair' && preference ? preferenceNotice(preference) : `${rows} rows`;
}
