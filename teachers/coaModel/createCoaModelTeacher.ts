import { samplingOfRollout } from '../../contract/chatModel.ts';
import type { Teacher } from '../../contract/teacher.ts';
import { PLAYED_BY_ONE_MODEL } from '../../schemas/trace.ts';
import { solveTask } from '../solving/solveTask.ts';
import type { CoaModelOptions } from './coaModelOptions.ts';
import { Play } from './play.ts';
import { probeChat } from './probeChat.ts';
import { solveInTries } from './solveInTries.ts';

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
      solveInTries(options.player.tries, () =>
        solveTask(task, context, { ...options, teacher: PLAYED_BY_ONE_MODEL }, (solving) => {
          const profile = options.profileOf(task.profile);
          if (!profile) throw new Error(`no profile is named ${task.profile}`);
          const sampling = samplingOfRollout(options.sampling, context);
          return new Play(task, profile, { ...options, sampling }, solving).toEnd();
        }),
      ),
  };
}
