import { RecordFailure } from '../../contract/errors.ts';
import type { CompletionRequest } from '../../contract/textModels.ts';
import type { RenderedBeginning, TrajectoryBeginning } from '../../contract/trajectoryPrompt.ts';
import { answerStart } from '../../schemas/coa/play/playedSegments.ts';
import { stopTagsOf } from '../../schemas/coa/play/readStep.ts';
import { type Profile, tagOfKind } from '../../schemas/coa/profile.ts';
import type { Segment } from '../../schemas/trajectory.ts';
import type { CoaModelOptions } from './coaModelOptions.ts';
import { cutText } from './cutContext.ts';
import { promptOf } from './promptOf.ts';

/** A trajectory as played so far. */
export interface Played {
  readonly profile: Profile;
  readonly turns: Omit<TrajectoryBeginning, 'segments'>;
  readonly segments: readonly Segment[];
}

/** Default maximum tokens of a step (AFM's driver); servers would stop at 16. */
const DEFAULT_STEP_TOKENS = 4096;

/** Request for a step. */
interface StepRequest {
  readonly request: CompletionRequest;
  /** Token count of training: the endpoint must count the same. */
  readonly promptTokens: number;
  /** True if the context leaves fewer tokens than a step may have. */
  readonly isOutOfRoom: boolean;
}

/**
 * Request of a step: the trajectory so far, as its training row starts.
 * @param forced - the step begins inside the answer
 * @throws RecordFailure (`context_exceeded`) where no token has room
 */
export async function stepRequest(
  played: Played,
  options: CoaModelOptions,
  forced: boolean,
): Promise<StepRequest> {
  const stepTokens = options.sampling.max_tokens ?? DEFAULT_STEP_TOKENS;
  const shown = { ...played, segments: await shownSegments(played, options, stepTokens) };
  const rendered = await renderSoFar(shown, options, forced);
  const promptTokens = rendered.ids.length;
  const room = options.player.max_context_tokens - promptTokens;
  if (room < 1) throw outOfContext(promptTokens, options);
  const request = requestOf(shown, rendered, options, Math.min(stepTokens, room), forced);
  return { request, promptTokens, isOutOfRoom: room < stepTokens };
}

/** Tokens that AFM's driver reserves besides the prompt, the trajectory and a step. */
const CUT_MARGIN = 512;

/**
 * Part of the trajectory shown to the model. When cut, it gets the context minus the prompt, a step and the tokens of
 * the whole trajectory: AFM's driver subtracts those too, and so cuts at half of the room.
 */
async function shownSegments(
  { profile, turns, segments }: Played,
  { prompt, player }: CoaModelOptions,
  stepTokens: number,
): Promise<readonly Segment[]> {
  if (player.context === 'whole' || segments.length === 0) return segments;
  const text = segments.map((segment) => segment.text).join('');
  const asked = await prompt.render({ ...turns, segments: [] }, profile);
  const { tokens } = await prompt.textWithin(text, Number.POSITIVE_INFINITY);
  const room = player.max_context_tokens - asked.ids.length - stepTokens - tokens - CUT_MARGIN;
  const keptTags = (['plan', 'reflection'] as const).flatMap((kind) => tagOfKind(profile, kind) ?? []);
  const cut = await cutText({ text, room, keptTags, textWithin: prompt.textWithin });
  return [{ tag: profile.first[0]!, origin: 'model', text: cut, event: '' }];
}

async function renderSoFar(
  { profile, turns, segments }: Played,
  { prompt }: CoaModelOptions,
  forced: boolean,
): Promise<RenderedBeginning> {
  const start: Segment = { tag: 'answer', origin: 'environment', text: answerStart(profile), event: '' };
  return prompt.render({ ...turns, segments: forced ? [...segments, start] : segments }, profile);
}

function outOfContext(tokens: number, { player }: CoaModelOptions): RecordFailure {
  const message = `prompt and trajectory have ${tokens} tokens, player.max_context_tokens is ${player.max_context_tokens}`;
  return new RecordFailure('context_exceeded', message, { tokens });
}

function requestOf(
  { profile, turns, segments }: Played,
  rendered: RenderedBeginning,
  { sampling, player }: CoaModelOptions,
  max_tokens: number,
  forced: boolean,
): CompletionRequest {
  const written = segments.map(({ text }) => text).join('') + (forced ? answerStart(profile) : '');
  return {
    ...promptOf(player, rendered, turns, written),
    stop: stopTagsOfStep(profile, forced).map((tag) => `</${tag}>`),
    sampling: { ...sampling, max_tokens },
  };
}

/** End tags that stop a step; a forced answer calls no tool. */
export function stopTagsOfStep(profile: Profile, forced: boolean): string[] {
  const tags = stopTagsOf(profile);
  return forced ? tags.slice(-1) : tags;
}
