import { samplingOfRollout } from '../../contract/chatModel.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Teacher } from '../../contract/teacher.ts';
import { type FailureCause, isOfPlayer } from '../../schemas/failureCauses.ts';
import { PLAYED_BY_ONE_MODEL } from '../../schemas/trace.ts';
import { type Solution, type Solving, solveTask } from '../solving/solveTask.ts';
import type { CoaModelOptions } from './coaModelOptions.ts';
import { Play } from './play.ts';
import { probeChat } from './probeChat.ts';

/** Creates the teacher; throws `UserError` for a chat endpoint that does not continue a turn exactly. */
export async function openCoaModelTeacher(options: CoaModelOptions): Promise<Teacher> {
  const [profile] = options.profiles;
  if (options.player.api === 'chat' && profile) await probeChat(profile, options);
  return createCoaModelTeacher(options);
}

/**
 * Creates the teacher that is one CoA model: it writes the whole trajectory, stops where a tool is called, and goes on
 * behind the observation. What it writes is kept as it came; unless the player's settings say so, no step is asked for
 * twice.
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

/** Limits of a task that leave nothing for another try. */
const limitsOfTask: ReadonlySet<FailureCause> = new Set(['budget_time', 'budget_tokens']);

/** Begins a task again where the model gave no answer, up to so many tries. Throws the last one's failure. */
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
