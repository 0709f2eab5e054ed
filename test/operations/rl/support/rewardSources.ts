import type { RewardPart, RewardPreset } from '../../../../schemas/config/rewardPresets.ts';

/** Where a reward was read: a line of AFM's repository at commit 8f94516 and what it says, or the paper's equation. */
type Source = readonly [file: string, line: number, text: string] | string;

/** A reward of AFM's code or of its paper. */
interface SourcedReward {
  readonly sources: readonly Source[];
  /** As it stands there, of our parts. Our reasons where it is no one's. */
  readonly formula: (parts: Readonly<Record<RewardPart, number>>) => number;
}

const score = 'verl/verl/utils/reward_score/grm_simple.py';
const manager = 'verl/verl/workers/reward_manager/afm.py';
const paper = 'arXiv 2508.13167, section';

/** Every preset of `rl.rewards`. */
export const rewardSources: Readonly<Record<RewardPreset, SourcedReward>> = {
  afm: {
    sources: [
      ['AFM/train/web_agent/rl/train_dapo_web_agent.sh', 124, '"compute_score_grm_batch"'],
      [score, 169, '"score": laj'],
      ['AFM/train/mhqa_agent/rl/train_ppo_mhqa_agent.sh', 127, '"compute_score_em_batch"'],
      ['verl/verl/utils/reward_score/mhqa_train.py', 131, 'rw = score'],
      ['AFM/train/code_agent/rl/train_dapo_code_agent.sh', 117, 'reward_model.reward_manager="afm"'],
      ['verl/verl/trainer/config/ppo_trainer.yaml', 995, 'format_fn_type: no_penalty'],
      [manager, 81, "format_fn_type=='no_penalty'"],
      `${paper} 3.3.2, equation 10`,
    ],
    formula: ({ correctness }) => correctness,
  },
  afm_format: {
    sources: [[score, 203, 'combined_score = 0.1 * fmt_score + 0.9 * laj_score']],
    formula: ({ correctness, format }) => 0.1 * format + 0.9 * correctness,
  },
  afm_repetition: {
    sources: [
      [score, 219, '[0 if verify_format_repetition(response) else -0.5'],
      [score, 234, 'combined_score = fmt_score + laj_score'],
    ],
    formula: ({ correctness, repeats }) => correctness + (repeats === 1 ? -0.5 : 0),
  },
  afm_repetition_gate: {
    sources: [
      [score, 256, '[1.0 if verify_format_repetition(response) else 0.0'],
      [score, 278, "'score': -1 if fmt == 0 else laj"],
    ],
    formula: ({ correctness, repeats }) => (repeats === 1 ? -1 : correctness),
  },
  afm_overlong: {
    sources: [
      [manager, 88, "format_fn_type=='overlong_buffer'"],
      [manager, 96, 'score += length_penalty'],
      [
        'verl/verl/utils/reward_score/length_penalty.py',
        76,
        'penalty = min(0.0, -(excess / remaining_space))',
      ],
    ],
    formula: ({ correctness, overlong }) => correctness - overlong,
  },
  afm_toolstar: {
    sources: [
      [manager, 105, 'score += length_penalty'],
      [manager, 107, 'if not format_checker.check_format_correctness(response_str)'],
      [manager, 108, 'score = -1.0'],
    ],
    formula: ({ correctness, overlong, format }) => (format === 1 ? correctness - overlong : -1),
  },
  afm_codetag: {
    sources: [
      [manager, 117, 'score += length_penalty'],
      [manager, 119, 'if not format_checker.check_code_format_correctness(response_str)'],
      [manager, 120, 'score = 0.0'],
    ],
    formula: ({ correctness, overlong, code_format, calls }) =>
      code_format === 1 && calls > 0 ? correctness - overlong : 0,
  },
  afm_code_paper: {
    sources: [`${paper} 3.3.2, equation 11`],
    formula: ({ correctness, code_format }) => correctness * code_format,
  },
  afm_code_paper_overlong: {
    sources: [`${paper} 3.3.2, equation 11`, `${paper} 4.2.1, overlong buffer of 1/8 of the response`],
    formula: ({ correctness, code_format, overlong }) => correctness * code_format - overlong,
  },
  afm_penalties: {
    // The forms above put together, with a share of repeated runs of words: the whole is nobody's but ours.
    sources: [
      [score, 203, 'combined_score = 0.1 * fmt_score + 0.9 * laj_score'],
      [score, 219, '-0.5'],
      [manager, 105, 'score += length_penalty'],
      [manager, 108, 'score = -1.0'],
    ],
    formula: ({ correctness, format, broken_format, repetition, overlong }) =>
      0.1 * format + 0.9 * correctness - broken_format - 0.5 * repetition - overlong,
  },
};
