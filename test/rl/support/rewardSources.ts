import type { RewardPart, RewardPreset } from '../../../rl/rewardsConfig.ts';

/** A reward of AFM's code or of its paper. */
interface SourcedReward {
  /** Lines of AFM's repository at commit 8f94516, or the paper's equation. */
  readonly sources: readonly string[];
  /** As it stands there, of our parts. Our reasons where it is no one's. */
  readonly formula: (parts: Readonly<Record<RewardPart, number>>) => number;
}

const score = 'verl/verl/utils/reward_score/grm_simple.py';
const manager = 'verl/verl/workers/reward_manager/afm.py';
const paper = 'paper';

/** Every preset of `rl.rewards`. */
export const rewardSources: Readonly<Record<RewardPreset, SourcedReward>> = {
  afm: {
    sources: [
      'AFM/train/web_agent/rl/train_dapo_web_agent.sh:124',
      `${score}:169`,
      'AFM/train/mhqa_agent/rl/train_ppo_mhqa_agent.sh:127',
      'verl/verl/utils/reward_score/mhqa_train.py:131',
      'AFM/train/code_agent/rl/train_dapo_code_agent.sh:117',
      'verl/verl/trainer/config/ppo_trainer.yaml:995',
      `${manager}:81`,
      `${paper} 3.3.2, equation 10`,
    ],
    formula: ({ correctness }) => correctness,
  },
  afm_format: {
    sources: [`${score}:203`],
    formula: ({ correctness, format }) => 0.1 * format + 0.9 * correctness,
  },
  afm_repetition: {
    sources: [`${score}:219`, `${score}:234`],
    formula: ({ correctness, repeats }) => correctness + (repeats === 1 ? -0.5 : 0),
  },
  afm_repetition_gate: {
    sources: [`${score}:256`, `${score}:278`],
    formula: ({ correctness, repeats }) => (repeats === 1 ? -1 : correctness),
  },
  afm_overlong: {
    sources: [`${manager}:88`, `${manager}:96`, 'verl/verl/utils/reward_score/length_penalty.py:76'],
    formula: ({ correctness, overlong }) => correctness - overlong,
  },
  afm_toolstar: {
    sources: [`${manager}:105`, `${manager}:107`, `${manager}:108`],
    formula: ({ correctness, overlong, format }) => (format === 1 ? correctness - overlong : -1),
  },
  afm_codetag: {
    sources: [`${manager}:117`, `${manager}:119`, `${manager}:120`],
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
    sources: [`${score}:203`, `${score}:219`, `${manager}:105`, `${manager}:108`],
    formula: ({ correctness, format, broken_format, repetition, overlong }) =>
      0.1 * format + 0.9 * correctness - broken_format - 0.5 * repetition - overlong,
  },
};
