import type { TaskWork } from '../../contract/calls.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { Sandbox } from '../../contract/sandbox.ts';
import { emitRecord, type RecordStage } from '../../contract/stage.ts';
import type { TestStore } from '../../contract/testStore.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import type { JudgeConfig } from '../../schemas/config/judge.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import type { Verdict } from '../../schemas/verdict.ts';
import { undecided, verdictOf } from './answerFinding.ts';
import { castVotes, type JudgeModel } from './castVotes.ts';
import { createGoldJudge } from './createGoldJudge.ts';
import { judgeAnswer } from './judgeAnswer.ts';
import { instructionsQuestion } from './judgeQuestion.ts';
import { judgeSuggestions } from './judgeSuggestions.ts';

/** How trajectories are judged. */
export interface JudgeOptions {
  readonly config: JudgeConfig;
  readonly profileOf: (name: string) => Profile | undefined;
  /** Where programs are tested; without one they fail as `sandbox_unavailable`. */
  readonly sandbox?: Sandbox;
  /** Opens the model of `config.model`, once and for all; without one, what is asked of it stays unscored. */
  readonly openModel?: () => Promise<JudgeModel>;
  /** Where tests are that are too long for records; without it programs with such tests fail as `unscored`. */
  readonly testStore?: Pick<TestStore, 'get'>;
  /** Trajectories judged at once. */
  readonly concurrency: number;
  /**
   * True where records may have neither gold answers nor tests, as published data often has none: they get no verdict on
   * their answer, which is no label, and the one on instructions all the same. Default: false, they fail as `unscored`.
   */
  readonly allowsNoGold?: boolean;
}

/**
 * Adds a verdict on the final answer to each trajectory, one on each suggested answer that was wrong, and where that is
 * asked and the answer is not wrong, one on how instructions were followed. Drops nothing: a judge that can't decide
 * fails the record and is never a label.
 */
export function createJudgeStage({
  config,
  profileOf,
  sandbox,
  testStore,
  openModel,
  concurrency,
  allowsNoGold = false,
}: JudgeOptions): RecordStage<Trajectory, Trajectory> {
  return {
    name: 'judge',
    version: 4,
    input: trajectorySchema,
    output: trajectorySchema,
    concurrency,
    async run(trajectory, { signal, attempt }) {
      const profile = profileOf(trajectory.profile);
      if (!profile) throw new RecordFailure('inexpressible', `unknown profile ${trajectory.profile}`);
      const model = config.model && (await openModel?.());
      const work = { task_id: trajectory.task_id, ...(attempt !== undefined && { attempt }) };
      const goldJudge = createGoldJudge(trajectory, { config, model, work, signal });
      const answer =
        allowsNoGold && !hasGold(trajectory)
          ? []
          : [await judgeAnswer(trajectory, { config, sandbox, testStore, goldJudge, signal })];
      const suggested = await judgeSuggestions(trajectory, profile, goldJudge);
      // A wrong answer is dropped whatever else a model would say, and models cost money.
      const asksOn = answer.every(({ judgement }) => judgement === 'correct');
      const instructions = asksOn
        ? await judgeInstructions(trajectory, profile, { config, model, work, signal })
        : [];
      const found = [...answer, ...suggested, ...instructions];
      const { quality } = trajectory;
      return emitRecord({
        ...trajectory,
        quality: { ...quality, verdicts: [...quality.verdicts, ...found] },
      });
    },
  };
}

function hasGold({ answers, tests }: Trajectory): boolean {
  return answers.length > 0 || tests !== undefined;
}

/** How instructions are judged. */
interface InstructionsSettings {
  readonly config: Pick<JudgeConfig, 'instructions'>;
  readonly model: JudgeModel | undefined;
  readonly work: TaskWork;
  readonly signal: AbortSignal;
}

/**
 * A verdict on whether a trajectory follows its instructions, which a right answer does not show (paper, stage 2); none
 * where the configuration does not ask. Throws `RecordFailure` (`unscored`) when the model comes to no verdict.
 */
async function judgeInstructions(
  trajectory: Trajectory,
  profile: Profile,
  { config, model, work, signal }: InstructionsSettings,
): Promise<Verdict[]> {
  const { instructions } = config;
  if (!instructions || instructions.profiles?.includes(profile.name) === false) return [];
  if (!model) throw undecided('the run has no model to judge instructions');
  const question = instructionsQuestion(trajectory, profile, instructions.rubric);
  return [verdictOf('instructions', await castVotes(question, model, { work, signal }))];
}
