import { checkDataset } from '../../../../output/check/checkDataset.ts';
import { CheckTally } from '../../../../output/check/checkTally.ts';
import { datasetParts } from '../../../../output/check/datasetFiles.ts';
import type { CheckSettings } from '../../../../output/check/rowFindings.ts';
import {
  type CheckTotals,
  checkTotalsSchema,
  type Finding,
  findingSchema,
} from '../../../../output/check/rules.ts';
import { builtinProfile, builtinProfiles } from '../../../../schemas/coa/profiles/builtin.ts';
import { maskConfigSchema } from '../../../../schemas/config/dataset.ts';
import { qwenText } from '../../support/qwenText.ts';
import { readRowsHere } from './readRowsHere.ts';

export interface CheckOutcome {
  readonly findings: readonly Finding[];
  readonly totals: CheckTotals;
}

/** Checks a path as the command does, with settings from its manifest where it has one. */
export async function check(given: string, changed: Partial<CheckSettings> = {}): Promise<CheckOutcome> {
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
    profiles: Object.values(builtinProfiles),
    ...changed,
  };
  const tally = new CheckTally();
  const findings: Finding[] = [];
  const opened = { dataset, settings, readRows: readRowsHere, sample: null };
  for await (const event of checkDataset(opened, tally)) findings.push(...event.findings);
  const totals = checkTotalsSchema.parse(tally.totals);
  return { findings: findings.map((finding) => findingSchema.parse(finding)), totals };
}

/** The same without the rules on texts, as the gates of training check a dataset. */
export async function checkMasks(given: string, changed: Partial<CheckSettings> = {}): Promise<CheckOutcome> {
  return check(given, { profiles: undefined, ...changed });
}

/** The rules of findings by row, in short: `3 prompt_trained`; `-` for those that concern a file. */
export function rulesByRow({ findings }: CheckOutcome): string[] {
  return findings.map(({ row, rule }) => `${row ?? '-'} ${rule}`);
}
