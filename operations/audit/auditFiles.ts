import { auditDataset } from '../../output/audit/auditDataset.ts';
import { AuditTally } from '../../output/audit/auditTally.ts';
import { datasetParts } from '../../output/audit/read/datasetParts.ts';
import type { AuditFinding, AuditTotals } from '../../schemas/audit.ts';
import { auditSettingsOf } from './auditSettingsOf.ts';
import { readableParts } from './readableParts.ts';
import { readRows } from './readRows.ts';

/** How {@link auditFiles} reads rows. */
export interface AuditFilesOptions {
  /** `qwen2.5` or a `tokenizer.json`; default: the dataset's own, or `qwen2.5`. */
  readonly tokenizer?: string;
  /** Tag in which other people's rows have what tools wrote; default: `observation`. */
  readonly observationTag?: string;
  /** How many rows of each file are looked into; default: all. */
  readonly sample?: number;
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
  const { tokenizer, observationTag, sample = null, onFinding } = options;
  const dataset = await readableParts(await datasetParts(path));
  const settings = await auditSettingsOf(dataset, tokenizer, observationTag);
  const tally = new AuditTally();
  for await (const { findings } of auditDataset({ dataset, settings, readRows, sample }, tally)) {
    for (const finding of findings) onFinding?.(finding);
  }
  return tally.totals(settings.tokenText.name);
}
