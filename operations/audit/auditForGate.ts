import { UserError } from '../../base/userError.ts';
import type { AuditFacts, DatasetAuditor } from '../../contract/trainingGate.ts';
import { changedFiles } from '../../output/audit/fileProblems.ts';
import type { AuditFinding } from '../../schemas/audit.ts';
import { auditFiles } from './auditFiles.ts';

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
