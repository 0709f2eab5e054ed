import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { TrajectoryBeginning } from '../../contract/trajectoryPrompt.ts';
import { observationSegment, stepSegments } from '../../schemas/coa/play/playedSegments.ts';
import { askedTurns } from '../../schemas/coa/play/turnTexts.ts';
import { type Profile, tagOfKind } from '../../schemas/coa/profile.ts';
import type { CoaModelOptions } from './coaModelOptions.ts';
import { promptOf } from './promptOf.ts';
import { assertSamePrompt } from './takeStep.ts';

/**
 * Finds out, by a request for one token, whether a chat endpoint goes on with the last turn exactly: it must count the
 * tokens that training has, behind an observation too, whose line feeds templates like to trim.
 *
 * @throws UserError when it does not, or does not count
 */
export async function probeChat(
  profile: Profile,
  { model, prompt, player, systemPrompt, sampling }: CoaModelOptions,
): Promise<void> {
  const beginning = sampleBeginning(profile, systemPrompt);
  const rendered = await prompt.render(beginning, profile);
  const written = beginning.segments.map(({ text }) => text).join('');
  const asked = promptOf(player, rendered, beginning, written);
  try {
    const answer = await model.complete(
      { ...asked, stop: [], sampling: { ...sampling, max_tokens: 1 } },
      neverAborted,
    );
    if (answer.prompt_tokens === 0)
      throw new UserError(`${refused}: it does not say how many tokens it read`);
    assertSamePrompt(answer, rendered.ids.length);
  } catch (error) {
    if (!(error instanceof RecordFailure)) throw error;
    throw new UserError(`${refused}: ${error.message}`, { cause: error });
  }
}

const neverAborted = new AbortController().signal;

const refused = 'teacher.player.api: chat is refused, since the endpoint does not continue a turn exactly';

/** Thinking, and something observed. */
function sampleBeginning(profile: Profile, systemPrompt: string): TrajectoryBeginning {
  const tag = tagOfKind(profile, 'thinking') ?? profile.first[0]!;
  const step = { text: `<${tag}>I look it up.</${tag}>`, tag, incidents: [] };
  const observed = observationSegment(profile, 'It is there.');
  const segments = [...stepSegments(profile, step), ...(observed ? [observed.segment] : [])];
  return {
    ...askedTurns(profile, 'Where is it?', systemPrompt).turns,
    segments: segments.map(({ tag: own, origin, text }) => ({ tag: own, origin, text, event: '' })),
  };
}
