import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { auditFiles } from '../../operations/audit/auditFiles.ts';
import type { AuditFinding } from '../../schemas/audit.ts';
import type { AuditAnswer, CardAnswer } from '../api.ts';

/** Rows of each file that are looked into: seconds, whatever the dataset holds. */
const SAMPLED_ROWS = 20;
const MAX_FINDINGS = 50;
const MAX_CARD_BYTES = 256 * 1024;

/** The masks of a dataset's first rows, worked out again by another way. Throws `UserError` where there is no dataset. */
export async function auditAnswer(runFolder: string): Promise<AuditAnswer> {
  const first: AuditFinding[] = [];
  const onFinding = (finding: AuditFinding): void => {
    if (first.length < MAX_FINDINGS) first.push(finding);
  };
  const totals = await auditFiles(join(runFolder, 'dataset'), { sample: SAMPLED_ROWS, onFinding });
  return { totals, first };
}

/** The card that goes with a dataset; empty where there is none. */
export async function cardAnswer(runFolder: string): Promise<CardAnswer> {
  const card = createReadStream(join(runFolder, 'dataset/README.md'), { end: MAX_CARD_BYTES });
  return { text: await text(card).catch(() => '') };
}
