import type { Sampling } from '../../contract/chatModel.ts';
import { samplingOfRollout } from '../../contract/chatModel.ts';
import type { Teacher } from '../../contract/teacher.ts';
import type { Task } from '../../schemas/task.ts';

export interface MixedMember {
  readonly name: string;
  readonly model: string;
  readonly sampling: Sampling;
  readonly teacher: Teacher;
}

/**
 * Creates a teacher that delegates each rollout to a member; traces name it.
 * @param memberOf who makes a task's rollout
 */
export function createMixedTeacher(memberOf: (task: Task, rollout: number) => MixedMember): Teacher {
  return {
    async solve(task, context) {
      const { rollout = 0 } = context.wrongTry ?? context;
      const { name, model, sampling, teacher } = memberOf(task, rollout);
      const member = { name, model, sampling: { ...samplingOfRollout(sampling, { rollout }) } };
      const outcome = await teacher.solve(task, context);
      return outcome.kind === 'solved'
        ? { ...outcome, trace: { ...outcome.trace, member } }
        : { ...outcome, partial: { ...outcome.partial, member } };
    },
  };
}
