import { UserError } from '../../base/userError.ts';
import type { AuditFacts, DatasetAuditor } from '../../contract/trainingGate.ts';
import { auditDataset } from '../../output/audit/auditDataset.ts';
import { AuditTally } from '../../output/audit/auditTally.ts';
import { changedFiles } from '../../output/audit/fileProblems.ts';
import { datasetParts } from '../../output/audit/read/datasetParts.ts';
import { readRows } from '../../output/audit/read/readRows.ts';
import type { AuditFinding } from '../../schemas/audit.ts';
import { auditSettingsOf } from './auditSettingsOf.ts';

/** The audit that the gates of a job judge by. */
export const auditForGate: DatasetAuditor = async (folder, manifest, tokenizer) => {
  const found: AuditFinding[] = [];
  try {
    const dataset = await datasetParts(folder);
    const settings = await auditSettingsOf(dataset, tokenizer);
    const audit = { dataset, settings, readRows, sample: null };
    for await (const { findings } of auditDataset(audit, new AuditTally())) found.push(...findings);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const all = found.filter(({ kind }) => kind !== 'file_changed');
    for await (const changed of changedFiles(folder, manifest)) all.push(changed);
    return { ...factsOf(all), problem: error.message };
  }
  return factsOf(found);
};

function factsOf(found: readonly AuditFinding[]): AuditFacts {
  const [changed, faults] = [
    found.filter(({ kind }) => kind === 'file_changed'),
    found.filter(({ kind }) => kind !== 'file_changed'),
  ];
  const [first] = faults;
  return {
    problem: null,
    findings: faults.length,
    first: first ? `${first.file}${first.row === null ? '' : ` row ${first.row}`}: ${first.message}` : '',
    changedFiles: changed.map(({ file, message }) => `${file}: ${message}`),
  };
}
