import type { GateFacts, GateResult, TrainingGate } from '../../contract/trainingGate.ts';
import { pass, refuse, unchecked } from './gateResults.ts';

/** The dataset's files are the ones that its manifest describes: none was edited, lost or cut off since the export. */
export const datasetGate = {
  name: 'data files',
  judge({ plan, dataset }: Pick<GateFacts, 'plan' | 'dataset'>): GateResult {
    const { folder, manifest_sha256 } = plan.dataset;
    if (dataset.manifestSha256 !== manifest_sha256) {
      return refuse(
        `${folder}/manifest.json changed since the job was planned; plan it again with coa-distill train`,
      );
    }
    const [first, ...others] = dataset.audit.changedFiles;
    if (first === undefined) return pass;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return refuse(
      `${first}${more}; the dataset was changed after the export: restore it, or export again with: coa-distill run CONFIG --from export`,
    );
  },
} satisfies TrainingGate;

/** The audit finds nothing: every row is read back, tokenised and masked again, and compared with what the files hold. */
export const auditGate: TrainingGate = {
  name: 'masks',
  judge({ plan, dataset }) {
    const { audit } = dataset;
    if (audit.findings === 0) {
      return audit.problem === null ? pass : unchecked(`the audit of the masks: ${audit.problem}`);
    }
    return refuse(
      `the audit finds ${audit.findings} faults in ${plan.dataset.folder}, the first in ${audit.first}; see them all with: coa-distill audit ${plan.dataset.folder}, and export again with: coa-distill run CONFIG --from export`,
    );
  },
};
