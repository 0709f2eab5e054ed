import type { z } from 'zod';
import { withoutAbsent } from '../../base/withoutAbsent.ts';
import type { rlAlgorithms, rlTrainingSchema } from '../config/rlTraining.ts';
import { afmPaper, afmScripts, type PublishedRun, type TrainingPresetName } from './presets.ts';

export interface RlHyperParameters {
  readonly algorithm: (typeof rlAlgorithms)[number];
  /** Peak rate of the actor. */
  readonly learning_rate: number;
  /** Peak rate of the critic, for ppo. */
  readonly critic_learning_rate: number;
  readonly warmup_steps: number;
  readonly weight_decay: number;
  /** Tasks per step. */
  readonly prompts_per_step: number;
  /** Tasks per update of the weights. */
  readonly mini_batch: number;
  /** Rollouts per task and step. */
  readonly rollouts: number;
  readonly max_prompt_tokens: number;
  /** Maximum, observations included. */
  readonly max_response_tokens: number;
  /** Probability ratios are clipped to 1 - clip_low and 1 + clip_high. */
  readonly clip_low: number;
  readonly clip_high: number;
  /** Bound of the loss for negative advantages (dual clip). */
  readonly clip_c: number;
  /** Weight of the KL divergence from the initial weights. */
  readonly kl_coefficient: number;
  readonly epochs: number;
  /** Maximum; null: determined by the epochs. */
  readonly steps: number | null;
  /** GPUs per copy of the rollout engine. */
  readonly tensor_parallel: number;
  /** Maximum per trajectory. */
  readonly max_generations: number;
}

/** A published run. */
export interface RlPreset extends PublishedRun {
  /** AFM's fine-tuned model from which its reinforcement learning starts. */
  readonly model: string;
  readonly hyper_parameters: RlHyperParameters;
}

/** Defaults without a preset: GRPO sized for one machine. */
const rlDefaults: RlHyperParameters = {
  algorithm: 'grpo',
  learning_rate: 1e-6,
  critic_learning_rate: 1e-5,
  warmup_steps: 0,
  weight_decay: 0.01,
  prompts_per_step: 64,
  mini_batch: 64,
  rollouts: 8,
  max_prompt_tokens: 2048,
  max_response_tokens: 8192,
  clip_low: 0.2,
  clip_high: 0.2,
  clip_c: 3,
  kl_coefficient: 0,
  epochs: 1,
  steps: null,
  tensor_parallel: 1,
  max_generations: 25,
};

/** Keys of the `training` section that determine the figures. */
interface AskedFigures {
  readonly preset: TrainingPresetName | null;
  readonly rl: z.infer<typeof rlTrainingSchema>;
  readonly max_steps: number | null;
}

/** Figures of a job: from `training`, otherwise from the preset. */
export function rlFigures({ preset, rl, max_steps }: AskedFigures): RlHyperParameters {
  const figures = preset === null ? rlDefaults : rlPresets[preset].hyper_parameters;
  const told = { ...figures, ...withoutAbsent(rl), ...(max_steps !== null && { steps: max_steps }) };
  return { ...told, mini_batch: Math.min(told.mini_batch, told.prompts_per_step) };
}

const web: RlHyperParameters = {
  ...rlDefaults,
  algorithm: 'dapo',
  warmup_steps: 3,
  weight_decay: 0.1,
  max_response_tokens: 30_720,
  clip_high: 0.28,
  clip_c: 10,
  epochs: 2,
  steps: 60,
  tensor_parallel: 8,
  max_generations: 25,
};
const code: RlHyperParameters = {
  ...rlDefaults,
  algorithm: 'dapo',
  warmup_steps: 10,
  prompts_per_step: 256,
  mini_batch: 32,
  max_prompt_tokens: 4096,
  max_response_tokens: 16_384,
  clip_high: 0.28,
  epochs: 100,
  steps: 2000,
  tensor_parallel: 4,
  max_generations: 8,
};
const mhqa: RlHyperParameters = {
  ...rlDefaults,
  algorithm: 'ppo',
  // 0.285 of 1,005 steps.
  warmup_steps: 286,
  prompts_per_step: 512,
  mini_batch: 256,
  rollouts: 1,
  // The script forwards no clipping option: these are the fork's defaults.
  clip_high: 0.2,
  kl_coefficient: 0.001,
  epochs: 15,
  steps: 1005,
  tensor_parallel: 4,
  max_generations: 8,
};
/** Maximum 8 tool calls before the answer; a window of 32k tokens. */
const codePaper: RlHyperParameters = {
  ...code,
  max_response_tokens: 28_672,
  steps: 150,
  max_generations: 9,
};
const smaller = { tensor_parallel: 2 } as const;

const scripts = {
  web: 'web_agent/rl/train_dapo_web_agent.sh',
  mhqa: 'mhqa_agent/rl/train_ppo_mhqa_agent.sh',
  code: 'code_agent/rl/train_dapo_code_agent.sh',
};
const ofScripts =
  'The seed, the kind of GPU and the hours are not published. Not taken over: SGLang, its share of the memory, and steps between checkpoints';

/** Names of fine-tuned models in the scripts, besides those of `AFM/models`. */
const models = { web: 'WebAgent', mhqa: 'MHQA-Agent', code: 'CodeAgent' } as const;
const modelOf = (of: keyof typeof models, size: string) => `PersonalAILab/AFM-${models[of]}-${size}-sft`;

/** Preset from a script that runs on this many machines. */
function script(
  of: keyof typeof scripts,
  hyper_parameters: RlHyperParameters,
  { size, nodes }: { readonly size: string; readonly nodes: number },
  remarks: string,
): RlPreset {
  return {
    model: modelOf(of, size),
    hyper_parameters,
    source: `${afmScripts}/${scripts[of]}`,
    hardware: { nodes, gpus_per_node: 8 },
    not_published: `${ofScripts}. ${remarks}`,
  };
}

/** Figures of the script of another size. */
function scriptOf(
  of: keyof typeof scripts,
  figures: RlHyperParameters,
  { size, published }: { readonly size: string; readonly published: string },
): RlPreset {
  return {
    model: modelOf(of, size),
    hyper_parameters: { ...figures, ...smaller },
    source: `${afmScripts}/${scripts[of]}`,
    hardware: null,
    not_published: `AFM publishes no script of this size: the figures are those of ${published}, and the GPUs of one engine are ours. ${ofScripts}`,
  };
}

const ofPaper = (size: string) =>
  `What the paper leaves open is as in the script of ${size}; the seed, the GPUs and the hours are not published`;
const generations = '24 steps and then an answer are 25 generations';
const codeReward =
  '8 tool calls and then an answer are 9 generations. Its reward: rl.rewards.preset: afm_code_paper_overlong';

function paper(
  section: string,
  model: string,
  hyper_parameters: RlHyperParameters,
  not_published: string,
): RlPreset {
  return {
    model,
    hyper_parameters,
    source: `${afmPaper}, section ${section}`,
    hardware: null,
    not_published,
  };
}

const multiHopPaper = (size: string) =>
  paper(
    '4.1.1',
    modelOf('mhqa', size),
    { ...web, ...smaller },
    `It describes web and multi-hop runs together: DAPO, where the multi-hop script has PPO. ${ofPaper('the web agent')}`,
  );

/** Reinforcement learning of AFM's released models: values published in its scripts and paper. */
export const rlPresets: Readonly<Record<TrainingPresetName, RlPreset>> = {
  'afm-web-7b': scriptOf('web', web, { size: '7B', published: '32B' }),
  'afm-web-32b': script(
    'web',
    web,
    { size: '32B', nodes: 8 },
    'Its 128 prompts generated at a time are those that replaced ones need',
  ),
  'afm-mhqa-3b': scriptOf('mhqa', mhqa, { size: '3B', published: '7B' }),
  'afm-mhqa-7b': script(
    'mhqa',
    mhqa,
    { size: '7B', nodes: 2 },
    'The critic warms up over a share of 0.05 there, and its model is a variable that is never set',
  ),
  'afm-code-7b': scriptOf('code', code, { size: '7B', published: '32B' }),
  'afm-code-32b': script('code', code, { size: '32B', nodes: 8 }, "The weight decay is verl's default"),
  'afm-web-7b-paper': paper(
    '4.1.1',
    modelOf('web', '7B'),
    { ...web, ...smaller },
    `${ofPaper('32B')}. ${generations}`,
  ),
  'afm-web-32b-paper': paper('4.1.1', modelOf('web', '32B'), web, `${ofPaper('32B')}. ${generations}`),
  'afm-mhqa-3b-paper': multiHopPaper('3B'),
  'afm-mhqa-7b-paper': multiHopPaper('7B'),
  'afm-code-7b-paper': paper(
    '4.2.1',
    modelOf('code', '7B'),
    { ...codePaper, ...smaller },
    `${ofPaper('32B')}. ${codeReward}`,
  ),
  'afm-code-32b-paper': paper(
    '4.2.1',
    modelOf('code', '32B'),
    { ...codePaper, max_response_tokens: 12_288, steps: 120 },
    `${ofPaper('32B')}. The window is that of the first 40 steps; then it is 32k: resume with rl.max_response_tokens: 28672. ${codeReward}`,
  ),
};
