import type { Clock } from '../../base/clock.ts';
import { UserError } from '../../base/userError.ts';
import type { TaskWork } from '../../contract/calls.ts';
import { failureOf, RecordFailure, RunHalted } from '../../contract/errors.ts';
import type { StageContext } from '../../contract/stage.ts';
import type { TeacherOutcome } from '../../contract/teacher.ts';
import type { TeacherConfig } from '../../schemas/config/teacher.ts';
import type { Task } from '../../schemas/task.ts';
import { type Trace, taskRollout, traceId } from '../../schemas/trace.ts';
import { TraceRecorder } from './traceRecorder.ts';

export interface SolvingOptions {
  /** Teacher name in traces. */
  readonly teacher: string;
  readonly budget: TeacherConfig['budget'];
  readonly clock: Clock;
}

/** Budget and trace of one rollout. */
export interface Solving {
  readonly budget: Budget;
  readonly recorder: TraceRecorder;
  /** Work of the task to which its calls belong. */
  readonly work: TaskWork;
}

/** Answer of a teacher, and how it ended. */
export type Solution = Pick<Trace, 'final_answer' | 'ending'>;

/** Works on a task within its limits; an error becomes its failure, with the progress so far. */
export async function solveTask(
  task: Task,
  { signal, attempt = 0, rollout = 0, wrongTry, lane }: StageContext,
  options: SolvingOptions,
  work: (solving: Solving) => Promise<Solution>,
): Promise<TeacherOutcome> {
  signal.throwIfAborted();
  const of = taskRollout({ task_id: task.id, rollout });
  // A second try continues as the rollout that it corrects, with the same cached answers.
  const asked = wrongTry ? taskRollout({ task_id: task.id, rollout: wrongTry.rollout }) : of;
  const recorder = new TraceRecorder(of, options.clock);
  const budget = startBudget(options.budget, options.clock, signal);
  try {
    const solution = await work({
      budget,
      recorder,
      work: { ...asked, attempt, ...(lane !== undefined && { lane }) },
    });
    const { events, messages, takenOver, failedTries } = recorder;
    const trace: Trace = {
      id: traceId(of, events),
      ...of,
      ...(wrongTry && { repairs: wrongTry.rollout ?? 0, taken_over: takenOver }),
      task,
      profile: task.profile,
      teacher: options.teacher,
      final_answer: solution.final_answer,
      events,
      messages,
      totals: recorder.totals(),
      ...(failedTries.length > 0 && { failed_tries: failedTries }),
      ...(solution.ending && { ending: solution.ending }),
    };
    return { kind: 'solved', trace };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UserError || error instanceof RunHalted) throw error;
    const failure = failureOf(budget.timeFailure() ?? error);
    return { kind: 'failed', failure, partial: recorder.partial() };
  } finally {
    budget.end();
  }
}

/** Watches the tokens and time of one task. The state machine counts steps. */
interface Budget {
  /** Aborted when the task's time is up or the run is stopped. */
  readonly signal: AbortSignal;
  /** Throws `RecordFailure` (`budget_tokens`) when no token is left. */
  checkTokens(usedTokens: number): void;
  /** Failure once the time is up; undefined before. */
  timeFailure(): RecordFailure | undefined;
  end(): void;
}

function startBudget(limits: TeacherConfig['budget'], clock: Clock, signal: AbortSignal): Budget {
  const timeUp = new AbortController();
  const ended = new AbortController();
  clock.sleep(limits.max_seconds * 1000, ended.signal).then(
    () => timeUp.abort(new Error('the time of the task is up')),
    () => undefined,
  );
  return {
    signal: AbortSignal.any([signal, timeUp.signal]),
    checkTokens(usedTokens) {
      if (usedTokens < limits.max_tokens) return;
      const message = `${usedTokens} tokens are used, budget.max_tokens is ${limits.max_tokens}`;
      throw new RecordFailure('budget_tokens', message, { used_tokens: usedTokens });
    },
    timeFailure() {
      if (!timeUp.signal.aborted) return undefined;
      const message = `no answer within budget.max_seconds = ${limits.max_seconds}`;
      return new RecordFailure('budget_time', message);
    },
    end: () => ended.abort(),
  };
}
