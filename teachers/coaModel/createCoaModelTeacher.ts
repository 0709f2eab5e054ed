import { UserError } from '../../base/userError.ts';
import { samplingOfRollout } from '../../contract/chatModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Teacher } from '../../contract/teacher.ts';
import type { TrajectoryBeginning } from '../../contract/trajectoryPrompt.ts';
import { observationSegment, stepSegments } from '../../schemas/coa/play/playedSegments.ts';
import { askedTurns } from '../../schemas/coa/play/turnTexts.ts';
import { type Profile, tagOfKind } from '../../schemas/coa/profile.ts';
import { type FailureCause, isOfPlayer } from '../../schemas/failureCauses.ts';
import { PLAYED_BY_ONE_MODEL } from '../../schemas/trace.ts';
import { type Solution, type Solving, solveTask } from '../solving/solveTask.ts';
import type { CoaModelOptions } from './coaModelOptions.ts';
import { Play } from './play.ts';
import { promptOf } from './promptOf.ts';
import { assertSamePrompt } from './takeStep.ts';

/**
 * Checks with a one-token request whether a chat endpoint continues the last turn exactly: its token count must equal
 * training's, also after an observation, whose line feeds templates often trim.
 * @throws UserError when it does not, or does not count
 */
async function probeChat(
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

/** Thought and observation for a probe. */
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

/** Creates the teacher; throws `UserError` for a chat endpoint that does not continue a turn exactly. */
export async function openCoaModelTeacher(options: CoaModelOptions): Promise<Teacher> {
  const [profile] = options.profiles;
  if (options.player.api === 'chat' && profile) await probeChat(profile, options);
  return createCoaModelTeacher(options);
}

/**
 * Creates a teacher that is one CoA model: it writes the whole trajectory, stops at a tool call, and continues after
 * the observation. Its text is kept unchanged; steps are never retried unless the player's settings allow it.
 */
export function createCoaModelTeacher(options: CoaModelOptions): Teacher {
  return {
    solve: (task, context) =>
      solveTask(task, context, { ...options, teacher: PLAYED_BY_ONE_MODEL }, (solving) => {
        const profile = options.profileOf(task.profile);
        if (!profile) throw new Error(`no profile is named ${task.profile}`);
        const sampling = samplingOfRollout(options.sampling, context);
        const asked = { ...options, sampling };
        return inTries(options.player.tries, solving, () => new Play(task, profile, asked, solving).toEnd());
      }),
  };
}

/** Task limits that leave no room for another try. */
const limitsOfTask: ReadonlySet<FailureCause> = new Set(['budget_time', 'budget_tokens']);

/** Restarts a task without an answer, up to the maximum of tries. Throws the last try's failure. */
async function inTries(
  tries: number,
  { recorder }: Solving,
  play: () => Promise<Solution>,
): Promise<Solution> {
  for (let nth = 1; ; nth++) {
    try {
      return await play();
    } catch (error) {
      const failure = error instanceof RecordFailure ? error.failure : undefined;
      if (!failure || nth >= tries || !isOfPlayer(failure.cause) || limitsOfTask.has(failure.cause))
        throw error;
      recorder.beginAgain(failure);
    }
  }
}
