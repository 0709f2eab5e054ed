import { afmTagProblem, type MaskMark } from '../../../schemas/trainers/afmMask.ts';
import type { TextFinding } from '../finding.ts';
import { layoutCauses } from './layoutCauses.ts';
import { maskConsequences } from './maskConsequences.ts';
import {
  type WrittenTag,
  type WrittenTags,
  writtenObservations,
  wrongCaseTags,
} from './writtenObservations.ts';

/**
 * Says what AFM's fork does wrong with a text, in its writer's terms; nothing when it keeps the row and masks exactly
 * the observations, each with its blank line.
 *
 * @param text as it stands in the row: the fork counts tags in it, and only its tokens are of the text in NFC
 * @param marks where the fork's token patterns match, in code units of the text
 */
export function auditMask(text: string, marks: readonly MaskMark[]): TextFinding[] {
  const problem = afmTagProblem(text);
  const tags = writtenObservations(text, problem === undefined);
  const wrongCase = wrongCaseTags(text, tags.observations);
  const findings = [
    ...wrongCase.map(wrongCaseFinding),
    ...layoutCauses(text, tags.observations, marks),
    ...(problem
      ? [droppedFinding(problem, text, tags, wrongCase)]
      : maskConsequences(text, tags.observations, marks)),
  ];
  return findings.sort((a, b) => a.offset - b.offset);
}

function wrongCaseFinding({ offset, tag }: WrittenTag): TextFinding {
  return {
    rule: 'afm_wrong_case',
    offset,
    message: `${tag} is not ${tag.toLowerCase()}: AFM's fork does not see it`,
  };
}

function droppedFinding(
  problem: 'count_mismatch' | 'wrong_nesting',
  text: string,
  tags: WrittenTags,
  wrongCase: readonly WrittenTag[],
): TextFinding {
  const offset = tags.unpaired?.offset ?? wrongCase[0]?.offset ?? 0;
  if (problem === 'wrong_nesting') {
    const message = "</observation> comes before its <observation>: AFM's fork drops the row";
    return { rule: 'afm_wrong_nesting', offset, message };
  }
  const starts = text.split('<observation>').length - 1;
  const ends = text.split('</observation>').length - 1;
  const message = `${starts} <observation> and ${ends} </observation>: AFM's fork drops the row`;
  return { rule: 'afm_count_mismatch', offset, message };
}
