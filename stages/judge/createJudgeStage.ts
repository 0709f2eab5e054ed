import type { OwnModule } from '../../base/programs/ownModule.ts';
import { RecordFailure } from '../../contract/errors.ts';
import { emitRecord, type RecordStage } from '../../contract/stage.ts';
import { answerText } from '../../schemas/coa/answers.ts';
import { bodyOf } from '../../schemas/coa/bodies.ts';
import { actionOutcome } from '../../schemas/coa/machine.ts';
import { type Profile, type TagKind, tagRule } from '../../schemas/coa/profile.ts';
import type { JudgeConfig } from '../../schemas/config/judge.ts';
import { type Segment, type Trajectory, trajectorySchema } from '../../schemas/trajectory.ts';
import type { Verdict } from '../../schemas/verdict.ts';
import { type AnswerFinding, undecided, verdictOf } from './answerFinding.ts';
import { castVotes, type JudgeModel } from './castVotes.ts';
import { createGoldJudge, type GoldJudge, type GoldJudgeSettings } from './createGoldJudge.ts';
import { type JudgeSettings, judgeAnswer } from './judgeAnswer.ts';
import { instructionsQuestion } from './judgeQuestion.ts';

interface JudgeOptions extends Partial<Pick<JudgeSettings, 'sandbox' | 'testStore'>> {
  readonly config: JudgeConfig;
  readonly profileOf: (name: string) => Profile | undefined;
  /** Opens the model of `config.model` once; without it, records that need it stay unscored. */
  readonly openModel?: (() => Promise<JudgeModel>) | undefined;
  /** User module of `config.module`. */
  readonly own?: OwnModule | undefined;
  readonly concurrency: number;
  /**
   * True if records may lack gold answers and tests, as published data often does: they get no verdict on their
   * answer, which is not a label, but still one on instructions. Default: false, they fail as `unscored`.
   */
  readonly allowsNoGold?: boolean;
}

/**
 * Adds a verdict on the final answer to each trajectory, one on each wrong suggested answer, and, if configured and
 * the answer is not wrong, one on instructions. Drops nothing: an undecided judge fails the record and is never a
 * label.
 */
export function createJudgeStage(options: JudgeOptions): RecordStage<Trajectory, Trajectory> {
  const { config, profileOf, sandbox, testStore, openModel, own, concurrency, allowsNoGold } = options;
  return {
    name: 'judge',
    version: 6,
    input: trajectorySchema,
    output: trajectorySchema,
    concurrency,
    async run(trajectory, { signal, attempt }) {
      const profile = profileOf(trajectory.profile);
      if (!profile) throw new RecordFailure('inexpressible', `unknown profile ${trajectory.profile}`);
      const model = config.model && (await openModel?.());
      const work = { task_id: trajectory.task_id, ...(attempt !== undefined && { attempt }) };
      const settings = { config, model, own, work, signal };
      const goldJudge = createGoldJudge(trajectory, settings);
      const answer =
        allowsNoGold && !own && !hasGold(trajectory)
          ? []
          : [await judgeAnswer(trajectory, { config, sandbox, testStore, goldJudge, signal })];
      const suggested = await judgeSuggestions(trajectory, profile, goldJudge);
      // A wrong answer is dropped regardless of other verdicts, and models cost money.
      const asksOn = answer.every(({ judgement }) => judgement === 'correct');
      const instructions = asksOn ? await judgeInstructions(trajectory, profile, settings) : [];
      const found = [...answer, ...suggested, ...instructions];
      const { quality } = trajectory;
      const verdicts = [...quality.verdicts, ...found];
      return emitRecord({ ...trajectory, quality: { ...quality, verdicts } });
    },
  };
}

function hasGold({ answers, tests }: Trajectory): boolean {
  return answers.length > 0 || tests !== undefined;
}

/**
 * Verdict on whether a trajectory follows its instructions, which a right answer does not show (paper, stage 2); none
 * unless configured. Throws `RecordFailure` (`unscored`) without a verdict of the model.
 */
async function judgeInstructions(
  trajectory: Trajectory,
  profile: Profile,
  { config, model, work, signal }: GoldJudgeSettings,
): Promise<Verdict[]> {
  const { instructions } = config;
  if (!instructions || instructions.profiles?.includes(profile.name) === false) return [];
  if (!model) throw undecided('the run has no model to judge instructions');
  const question = instructionsQuestion(trajectory, profile, instructions.rubric);
  return [verdictOf('instructions', (await castVotes(question, model, { work, signal })).finding())];
}

/**
 * Verdict on each suggested answer that the final answer's judge finds wrong, with marks on segments not to imitate.
 * Skipped: right ones, programs (tests are the most expensive judging), questions without a gold answer, and
 * undecided ones. Throws `RecordFailure` (`unscored`) if its model cannot be asked.
 */
async function judgeSuggestions(
  trajectory: Trajectory,
  profile: Profile,
  judge: GoldJudge,
): Promise<Verdict[]> {
  const { domain, answers, segments } = trajectory;
  if (domain === 'code' || answers.length === 0) return [];
  const verdicts: Verdict[] = [];
  for (const [at, segment] of segments.entries()) {
    if (kindOf(segment, profile) !== 'suggested_answer') continue;
    const finding = await findingOrNone(judge(answerText(domain, bodyOf(segment))));
    if (!finding || finding.correct) continue;
    const marked_segments = segmentsToMark(segments, at, profile);
    verdicts.push({ ...verdictOf('suggested_answer', finding), marked_segments });
  }
  return verdicts;
}

/** Ignores an undecided suggestion: the record's answer has a verdict. */
async function findingOrNone(judging: Promise<AnswerFinding>): Promise<AnswerFinding | undefined> {
  try {
    return await judging;
  } catch (error) {
    if (!(error instanceof RecordFailure)) throw error;
    const { cause, cut_short } = error.failure;
    if (cause === 'unreadable_answer' || (cause === 'unscored' && !cut_short)) return undefined;
    throw error;
  }
}

/**
 * The wrong suggestion with its preceding thought, and a check that accepts it with its thought. A check that finds
 * the error, and what follows, are the reason to keep such a trajectory.
 */
function segmentsToMark(segments: readonly Segment[], wrong: number, profile: Profile): number[] {
  const check = segments.findIndex(
    (segment, at) => at > wrong && segment.origin === 'model' && kindOf(segment, profile) !== 'thinking',
  );
  return [
    ...withThought(segments, wrong, profile),
    ...(letsPass(segments[check], profile) ? withThought(segments, check, profile) : []),
  ];
}

function letsPass(check: Segment | undefined, profile: Profile): boolean {
  if (check === undefined || kindOf(check, profile) !== 'verification') return false;
  return actionOutcome(profile, { tag: check.tag, body: bodyOf(check) }) === 'high';
}

function withThought(segments: readonly Segment[], at: number, profile: Profile): number[] {
  const before = segments[at - 1];
  return before && kindOf(before, profile) === 'thinking' ? [at - 1, at] : [at];
}

function kindOf({ tag }: Segment, profile: Profile): TagKind | undefined {
  return tagRule(profile, tag)?.kind;
}
