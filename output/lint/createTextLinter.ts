import { parseBlocks } from '../../schemas/coa/parse.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { grammarFindings } from './checks/grammarFindings.ts';
import { lookAlikeFindings } from './checks/lookAlikeFindings.ts';
import { repeatFindings } from './checks/repeatFindings.ts';
import { hasBrokenStructure, structureFindings } from './checks/structureFindings.ts';
import { textFindings } from './checks/textFindings.ts';
import type { TextFinding } from './finding.ts';
import { auditMask } from './mask/auditMask.ts';
import type { MaskMarker } from './mask/createMaskMarker.ts';

/** Findings of one rule in one text that are told one by one; the last of them says how many more there are. */
const mostOfOneRule = 10;

/** Applies every rule to a trajectory's text. */
export interface TextLinter {
  /** Findings in the order of their places. */
  lint(profile: Profile, text: string): Promise<TextFinding[]>;
}

/** A linter that asks the marker where AFM's fork sees observations. */
export function createTextLinter(marker: MaskMarker): TextLinter {
  return {
    async lint(profile, text) {
      const parsed = parseBlocks(profile, text);
      const structure = structureFindings(profile, text, parsed);
      const findings = [
        ...textFindings(text),
        ...structure,
        ...(hasBrokenStructure(structure) ? [] : grammarFindings(profile, parsed.blocks, text.length)),
        ...repeatFindings(profile, parsed.blocks),
        ...lookAlikeFindings(profile, parsed.blocks),
        ...auditMask(text, await marker.marksIn(text)),
      ];
      return withLimit(findings.sort((a, b) => a.offset - b.offset));
    },
  };
}

function withLimit(findings: readonly TextFinding[]): TextFinding[] {
  const totals = new Map<string, number>();
  for (const { rule } of findings) totals.set(rule, (totals.get(rule) ?? 0) + 1);
  const shown = new Map<string, number>();
  return findings.flatMap((finding) => {
    const place = (shown.get(finding.rule) ?? 0) + 1;
    shown.set(finding.rule, place);
    const more = totals.get(finding.rule)! - mostOfOneRule;
    if (place > mostOfOneRule) return [];
    if (place < mostOfOneRule || more === 0) return [finding];
    return [{ ...finding, message: `${finding.message} (and ${more} more of this rule in the row)` }];
  });
}
