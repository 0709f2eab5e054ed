import { auditDataset } from '../../../../output/audit/auditDataset.ts';
import { AuditTally } from '../../../../output/audit/auditTally.ts';
import type { AuditSettings } from '../../../../output/audit/expectation/auditSettings.ts';
import { datasetParts } from '../../../../output/audit/read/datasetParts.ts';
import {
  type AuditFinding,
  type AuditTotals,
  auditFindingSchema,
  auditTotalsSchema,
} from '../../../../schemas/audit.ts';
import { builtinProfile } from '../../../../schemas/coa/profiles/builtin.ts';
import { maskConfigSchema } from '../../../../schemas/config/dataset.ts';
import { qwenText } from '../../support/qwenText.ts';
import { readRowsHere } from './readRowsHere.ts';

/** What an audit of a path says. */
export interface AuditOutcome {
  readonly findings: readonly AuditFinding[];
  readonly totals: AuditTotals;
}

/** Audits a path as the command does, with settings from its manifest where it has one. */
export async function audit(given: string, changed: Partial<AuditSettings> = {}): Promise<AuditOutcome> {
  const dataset = await datasetParts(given);
  const manifest = dataset.own?.manifest;
  const settings = {
    tokenText: qwenText,
    mask: manifest?.mask ?? maskConfigSchema.parse({}),
    cutoffLen: manifest?.cutoff_len ?? null,
    mayBeCut: (manifest?.cut_rows ?? 0) > 0,
    encodedApart: manifest?.segments_encoded === 'apart',
    own: manifest !== undefined,
    profileOf: builtinProfile,
    ...changed,
  };
  const tally = new AuditTally();
  const findings: AuditFinding[] = [];
  for await (const event of auditDataset(
    { dataset, settings, readRows: readRowsHere, sample: null },
    tally,
  )) {
    findings.push(...event.findings);
  }
  const totals = auditTotalsSchema.parse(tally.totals('qwen2.5'));
  return { findings: findings.map((finding) => auditFindingSchema.parse(finding)), totals };
}

/** The kinds of findings by row, in short: `3 prompt_trained`; `-` for those that concern a file. */
export function kindsByRow({ findings }: AuditOutcome): string[] {
  return findings.map(({ row, kind }) => `${row ?? '-'} ${kind}`);
}
