import type { CompletionRequest } from '../../contract/completionModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { RenderedBeginning, TrajectoryBeginning } from '../../contract/trajectoryPrompt.ts';
import { answerStart } from '../../schemas/coa/play/playedSegments.ts';
import { stopTagsOf } from '../../schemas/coa/play/readStep.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { Segment } from '../../schemas/trajectory.ts';
import type { CoaModelOptions } from './coaModelOptions.ts';
import { promptOf } from './promptOf.ts';

/** A trajectory as far as it is played. */
export interface Played {
  readonly profile: Profile;
  readonly turns: Omit<TrajectoryBeginning, 'segments'>;
  readonly segments: Segment[];
}

/** Most tokens of a step where the configuration names no number (AFM's driver); servers would stop at 16. */
const DEFAULT_STEP_TOKENS = 4096;

/** What a model is asked for a step. */
interface StepRequest {
  readonly request: CompletionRequest;
  /** As training counts them: the endpoint must read as many. */
  readonly promptTokens: number;
  /** True where the context leaves fewer tokens than a step may have. */
  readonly isOutOfRoom: boolean;
}

/**
 * The request of a step: the trajectory so far, as its training row begins.
 *
 * @param forced - the step begins inside the answer
 * @throws RecordFailure (`context_exceeded`) where no token has room
 */
export async function stepRequest(
  played: Played,
  options: CoaModelOptions,
  forced: boolean,
): Promise<StepRequest> {
  const rendered = await renderSoFar(played, options, forced);
  const promptTokens = rendered.ids.length;
  const room = options.player.max_context_tokens - promptTokens;
  if (room < 1) throw outOfContext(promptTokens, options);
  const stepTokens = options.sampling.max_tokens ?? DEFAULT_STEP_TOKENS;
  const request = requestOf(played, rendered, options, Math.min(stepTokens, room), forced);
  return { request, promptTokens, isOutOfRoom: room < stepTokens };
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

/** The tags at whose ends a step stops; in a forced answer no tool is called. */
export function stopTagsOfStep(profile: Profile, forced: boolean): string[] {
  const tags = stopTagsOf(profile);
  return forced ? tags.slice(-1) : tags;
}
