import { foldToolInput, parseScore } from '../../schemas/coa/bodies.ts';
import type { Block } from '../../schemas/coa/layout.ts';
import { type Profile, type TagKind, tagRule } from '../../schemas/coa/profile.ts';
import type { Quality } from '../../schemas/trajectory.ts';

/** A block as its measures see it. */
export interface MeasuredBlock extends Block {
  /** True for a failed tool call: retrying it is not redundant. */
  readonly failed?: true;
}

/** Measures of a trajectory's blocks, without verdicts. */
export function measureQuality(
  profile: Profile,
  blocks: readonly MeasuredBlock[],
  neutralised: number,
): Quality {
  const ofKind = (kind: TagKind) => blocks.filter((block) => tagRule(profile, block.tag)?.kind === kind);
  const tools = ofKind('tool').filter((block) => !block.failed);
  const inputs = tools.map(({ tag, body }) => `${tag}\n${foldToolInput(tagRule(profile, tag)!.body, body)}`);
  const check = ofKind('verification')[0];
  return {
    interactions: ofKind('observation').length,
    reflections: ofKind('reflection').length,
    plans: ofKind('plan').length,
    redundant_tool_inputs: inputs.length - new Set(inputs).size,
    first_double_check: check ? (parseScore(check.body) ?? null) : null,
    neutralised,
    verdicts: [],
  };
}
