import { printable } from '../../base/printable.ts';
import { UserError } from '../../base/userError.ts';
import type { AuditFacts, DatasetAuditor } from '../../contract/trainingGate.ts';
import { auditDataset, type DatasetAudit } from '../../output/audit/auditDataset.ts';
import { AuditTally } from '../../output/audit/auditTally.ts';
import { changedFiles } from '../../output/audit/fileProblems.ts';
import { type DatasetPart, type DatasetParts, datasetParts } from '../../output/audit/read/datasetParts.ts';
import { readRows } from '../../output/audit/read/readRows.ts';
import type { AuditFinding, AuditTotals } from '../../schemas/audit.ts';
import { readAnswers } from '../../schemas/rows/codecTable.ts';
import { isProblem, problemText } from '../../schemas/rows/datasetRow.ts';
import { auditSettingsOf } from './auditSettingsOf.ts';

/** How {@link auditFiles} reads rows. */
export interface AuditFilesOptions {
  /** `qwen2.5` or a `tokenizer.json`; default: the dataset's own, or `qwen2.5`. */
  readonly tokenizer?: string | undefined;
  /** Tag in which other people's rows have what tools wrote; default: `observation`. */
  readonly observationTag?: string | undefined;
  /** How many rows of each file are looked into; default: all. */
  readonly sample?: number | undefined;
  /** Called for each finding as it is made; default: they are only counted. */
  readonly onFinding?: (finding: AuditFinding) => void;
}

/**
 * Recomputes the loss masks of a dataset folder, a file or a folder of rows by a second path.
 *
 * @returns what was looked at; `findings` is 0 where every mask is right
 * @throws UserError where there are no rows, or settings contradict the dataset
 */
export async function auditFiles(path: string, options: AuditFilesOptions = {}): Promise<AuditTotals> {
  const audit = await openAudit(path, options);
  const tally = new AuditTally();
  for await (const { findings } of auditDataset(audit, tally)) {
    for (const finding of findings) options.onFinding?.(finding);
  }
  return tally.totals(audit.settings.tokenText.name);
}

/** What is audited at a path, and how. Throws as {@link auditFiles}. */
export async function openAudit(
  path: string,
  { tokenizer, observationTag, sample }: Omit<AuditFilesOptions, 'onFinding'> = {},
): Promise<DatasetAudit> {
  const dataset = await readableParts(await datasetParts(path));
  const settings = await auditSettingsOf(dataset, tokenizer, observationTag);
  return { dataset, settings, readRows, sample: sample ?? null };
}

/**
 * Other people's folders hold files of many kinds: those whose first row has no known layout are passed over with a
 * note, and so are empty ones.
 *
 * @throws UserError when none is left
 */
async function readableParts(dataset: DatasetParts): Promise<DatasetParts> {
  if (dataset.own) return dataset;
  const parts: DatasetPart[] = [];
  const problems: string[] = [];
  for (const part of dataset.parts) {
    // A file of another kind, or an empty one, is a problem too.
    const problem = await firstProblem(part).catch((error: unknown) => {
      if (error instanceof UserError) return error.message;
      throw error;
    });
    if (problem === undefined) parts.push(part);
    else problems.push(problem);
  }
  if (parts.length === 0) throw new UserError(`${problems[0]}; name a file of rows`);
  for (const problem of problems) process.stderr.write(`${printable(`passed over: ${problem}`)}\n`);
  return { ...dataset, parts };
}

async function firstProblem({ files, path }: DatasetPart): Promise<string | undefined> {
  for await (const row of readRows(files[0]!)) {
    // A broken first row tells nothing about the others.
    if ('problem' in row) return undefined;
    const [read] = readAnswers(row.value);
    return read && isProblem(read) ? `${row.file} row 1: ${problemText(read)}` : undefined;
  }
  return `${path}: holds no rows`;
}

/** The audit that the gates of a job judge by. */
export const auditForGate: DatasetAuditor = async (folder, manifest, tokenizer) => {
  const found: AuditFinding[] = [];
  try {
    await auditFiles(folder, { tokenizer, onFinding: (finding) => found.push(finding) });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const all = found.filter(({ kind }) => kind !== 'file_changed');
    for await (const changed of changedFiles(folder, manifest)) all.push(changed);
    return { ...factsOf(all), problem: error.message };
  }
  return factsOf(found);
};

function factsOf(found: readonly AuditFinding[]): AuditFacts {
  const { file_changed: changed = [], other: faults = [] } = Object.groupBy(found, ({ kind }) =>
    kind === 'file_changed' ? kind : 'other',
  );
  const [first] = faults;
  return {
    problem: null,
    findings: faults.length,
    first: first ? `${first.file}${first.row === null ? '' : ` row ${first.row}`}: ${first.message}` : '',
    changedFiles: changed.map(({ file, message }) => `${file}: ${message}`),
  };
}
