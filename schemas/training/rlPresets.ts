/** Published runs of reinforcement learning that can be asked for by name. */
export const rlPresetNames = [
  'afm-web-7b',
  'afm-web-32b',
  'afm-mhqa-7b',
  'afm-code-7b',
  'afm-code-32b',
] as const;
export type RlPresetName = (typeof rlPresetNames)[number];

/** The algorithms: how advantages are made, and what else goes with them. */
export const rlAlgorithms = ['grpo', 'dapo', 'ppo'] as const;
export type RlAlgorithm = (typeof rlAlgorithms)[number];

/** What a preset says about the job. Rates are unitless, lengths in tokens. */
export interface RlHyperParameters {
  /**
   * `grpo`: advantages within the rollouts of a task; `dapo`: the same, tasks whose rollouts are all worth the same
   * replaced by others; `ppo`: advantages by a critic.
   */
  readonly algorithm: RlAlgorithm;
  readonly learning_rate: number;
  readonly critic_learning_rate: number;
  readonly warmup_steps: number;
  readonly weight_decay: number;
  readonly prompts_per_step: number;
  /** Prompts of an update of the weights. */
  readonly mini_batch: number;
  /** Rollouts of a task in a step. */
  readonly rollouts: number;
  readonly max_prompt_tokens: number;
  /** Behind the prompt, observations included. */
  readonly max_response_tokens: number;
  /** The ratio of probabilities is clipped at 1 - low and 1 + high; for negative advantages also at c. */
  readonly clip_low: number;
  readonly clip_high: number;
  readonly clip_c: number;
  /** Weight of the KL divergence from the first weights in the loss; 0: none. */
  readonly kl_coefficient: number;
  readonly epochs: number;
  readonly steps: number | null;
  /** GPUs that hold one copy of the rollout engine. */
  readonly tensor_parallel: number;
}

/** A published run. */
export interface RlPreset {
  readonly hyper_parameters: RlHyperParameters;
  /** Generations of a trajectory, which the environment server limits. */
  readonly max_steps: number;
  readonly source: string;
  readonly hardware: { readonly nodes: number; readonly gpus_per_node: number };
  /** What the source leaves open, and what is not taken over. */
  readonly not_published: string;
}

const repository = 'github.com/OPPO-PersonalAI/Agent_Foundation_Models';

/** Without a preset: GRPO with figures that fit one machine. */
export const rlDefaults: RlHyperParameters = {
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
};

const clipHigher = { ...rlDefaults, clip_high: 0.28 };
const web: RlHyperParameters = {
  ...clipHigher,
  algorithm: 'dapo',
  warmup_steps: 3,
  weight_decay: 0.1,
  max_response_tokens: 30_720,
  clip_c: 10,
  epochs: 2,
  steps: 60,
  tensor_parallel: 8,
};
const code: RlHyperParameters = {
  ...clipHigher,
  algorithm: 'dapo',
  warmup_steps: 10,
  prompts_per_step: 256,
  mini_batch: 32,
  max_prompt_tokens: 4096,
  max_response_tokens: 16_384,
  epochs: 100,
  steps: 2000,
  tensor_parallel: 4,
};
const mhqa: RlHyperParameters = {
  ...clipHigher,
  algorithm: 'ppo',
  // The script warms up over a share of 0.285 of 1,005 steps.
  warmup_steps: 286,
  prompts_per_step: 512,
  mini_batch: 256,
  rollouts: 1,
  kl_coefficient: 0.001,
  epochs: 15,
  steps: 1005,
  tensor_parallel: 4,
};
const untold = 'The seed, the kind of GPU and the hours are not published';
const smaller =
  'AFM publishes no script of this size: the figures are those of 32B, on one machine, with two GPUs a copy of the engine';
const ofSmaller = { tensor_parallel: 2 } as const;
const oneMachine = { nodes: 1, gpus_per_node: 8 };
const eightMachines = { nodes: 8, gpus_per_node: 8 };

/** The reinforcement learning of AFM's released models: the values of its scripts, as far as they set them. */
export const rlPresets: Readonly<Record<RlPresetName, RlPreset>> = {
  'afm-web-7b': {
    hyper_parameters: { ...web, ...ofSmaller },
    max_steps: 25,
    source: `${repository}, scripts of the web agent's RL`,
    hardware: oneMachine,
    not_published: smaller,
  },
  'afm-web-32b': {
    hyper_parameters: web,
    max_steps: 25,
    source: `${repository}, scripts of the web agent's RL`,
    hardware: eightMachines,
    not_published: `${untold}. Its 128 prompts generated at a time are those that replaced ones need`,
  },
  'afm-mhqa-7b': {
    hyper_parameters: mhqa,
    max_steps: 8,
    source: `${repository}, scripts of the multi-hop agent's RL`,
    hardware: { nodes: 2, gpus_per_node: 8 },
    not_published: `${untold}. The critic warms up over a share of 0.05 there`,
  },
  'afm-code-7b': {
    hyper_parameters: { ...code, ...ofSmaller },
    max_steps: 8,
    source: `${repository}, scripts of the code agent's RL`,
    hardware: oneMachine,
    not_published: smaller,
  },
  'afm-code-32b': {
    hyper_parameters: code,
    max_steps: 8,
    source: `${repository}, scripts of the code agent's RL`,
    hardware: eightMachines,
    not_published: `${untold}. The weight decay is verl's default`,
  },
};
