import { scoreBody } from '../schemas/coa/bodies.ts';
import { allowedActions, type TakenAction } from '../schemas/coa/machine.ts';
import { type Profile, tagOfKind, toolTags } from '../schemas/coa/profile.ts';
import { stepsToEnd } from '../teachers/multiAgent/nextActions.ts';

/** Calls that one task is expected to take. */
interface ExpectedCalls {
  readonly model: number;
  readonly tool: number;
}

/** Average agent-tool interactions of a trajectory (paper: web 7.29, multi-hop 4.35, code 7.0), rounded. */
const usualInteractions: Readonly<Record<string, number>> = {
  web: 7,
  mhqa: 4,
  code: 7,
  math: 7,
  mhqa_double_check: 4,
};
const usualElsewhere = 7;

/**
 * The calls of a straight way through a profile's grammar: plan, tools as often as usual, one reflection unless each
 * tool call asks for one, then the answer. Each action is one call of its agent, and one of the orchestrator where
 * the grammar leaves a choice.
 */
export function expectedCalls(
  profile: Profile,
  interactions: number = usualInteractions[profile.name] ?? usualElsewhere,
): ExpectedCalls {
  const taken: TakenAction[] = [];
  let model = 0;
  const isConfirmed = tagOfKind(profile, 'verification') !== undefined;
  let allowed: readonly string[] = profile.first;
  for (; allowed.length > 0; allowed = allowedActions(profile, taken)) {
    const tag = straightChoice(profile, allowed, taken, interactions);
    // A confirmed suggestion is the answer: nobody is asked again.
    if (isConfirmed && tag === tagOfKind(profile, 'answer')) break;
    model += allowed.length > 1 ? 2 : 1;
    taken.push({ tag, body: scoreBody(4) });
  }
  return { model, tool: countOf(taken, toolTags(profile)) };
}

/** As {@link expectedCalls}, of one model that plays alone: a call up to each tool call, and one up to the answer. */
export function expectedCallsAlone(profile: Profile): ExpectedCalls {
  const { tool } = expectedCalls(profile);
  return { model: tool + 1, tool };
}

function straightChoice(
  profile: Profile,
  allowed: readonly string[],
  taken: readonly TakenAction[],
  interactions: number,
): string {
  const tools = toolTags(profile);
  const reflection = tagOfKind(profile, 'reflection');
  const wantsTool = countOf(taken, tools) < interactions;
  const wantsReflection = !wantsTool && countOf(taken, [reflection]) === 0;
  const wished = wantsTool ? tools : wantsReflection ? [reflection] : ['suggested_answer', 'answer'];
  const toEnd = (tag: string) => stepsToEnd(profile, taken, tag);
  return (
    allowed.find((tag) => wished.includes(tag)) ??
    allowed.reduce((best, tag) => (toEnd(tag) < toEnd(best) ? tag : best))
  );
}

function countOf(taken: readonly TakenAction[], tags: readonly (string | undefined)[]): number {
  return taken.filter(({ tag }) => tags.includes(tag)).length;
}
