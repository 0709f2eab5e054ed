import type { TrainingPresetName } from '../../../schemas/training/presets.ts';
import type { SourcedFigure } from '../../support/sourcedFigures.ts';

type Figures = readonly SourcedFigure[];
type PresetFigures = Readonly<Record<TrainingPresetName, Figures>>;

const ofTrainer = 'default of transformers, TrainingArguments';
const qwen = (size: string) => `Qwen/Qwen2.5-${size}-Instruct`;

/** A line that sets a value, and the one that hands it to the trainer: a variable that is only defined is no figure. */
type Lines = readonly [set: number, passed?: number];
const placesIn =
  (script: string) =>
  (...[set, passed]: Lines) =>
    `${script}:${set}${passed === undefined ? '' : `,${passed}`}`;

/** The scripts of web and multi-hop runs, which have one form; `shift` lines further up. */
function gridSft(
  agent: string,
  size: string,
  [rate, warmup, passes, cutoff]: readonly [rate: number, warmup: number, passes: number, cutoff: number],
  shift = 0,
): Figures {
  const place = placesIn(`AFM/train/${agent}/sft/sft_qwen2.5_${size.toLowerCase()}.sh`);
  // Further down another line is missing.
  const at = (set: number, passed?: number) =>
    place(set - shift, passed === undefined ? undefined : passed - 3 * shift);
  return [
    ['model', qwen(size), 'paper 4.1.1'],
    ['learning_rate', rate, at(27, 66)],
    ['warmup_ratio', warmup, at(28, 67)],
    ['lr_scheduler', 'linear', ofTrainer],
    ['per_device_batch_size', 1, at(29, 64)],
    ['gradient_accumulation_steps', passes, at(30, 65)],
    ['epochs', 4, at(14, 68)],
    ['cutoff_len', cutoff, at(16, 62)],
    ['nodes', 1, at(6)],
    ['gpus_per_node', 8, at(9)],
  ];
}

function codeSft(size: string, rate: number, nodes: number): Figures {
  const at = placesIn(`AFM/train/code_agent/sft/sft_qwen2.5_${size.toLowerCase()}.sh`);
  return [
    ['model', qwen(`Coder-${size}`), at(4, 34)],
    ['learning_rate', rate, at(13, 45)],
    ['warmup_ratio', 0, ofTrainer],
    ['lr_scheduler', 'linear', ofTrainer],
    ['per_device_batch_size', 1, at(14, 43)],
    ['gradient_accumulation_steps', 4, at(15, 44)],
    ['epochs', 2, at(16, 46)],
    ['cutoff_len', 32_768, at(18, 41)],
    ['nodes', nodes, at(6)],
    ['gpus_per_node', 8, at(9)],
  ];
}

const oneRow: SourcedFigure = ['per_device_batch_size', 1, 'ours: one row on a GPU, as the scripts have it'];
const webPaper = (size: string): Figures => [
  ['model', qwen(size), 'paper 4.1.1'],
  ['learning_rate', 1.4e-5, 'paper 4.1.1'],
  ['warmup_ratio', 0, ofTrainer],
  ['lr_scheduler', 'cosine', 'paper 4.1.1, cosine decay'],
  ['epochs', 2.5, 'paper 4.1.1'],
  oneRow,
  ['gradient_accumulation_steps', 256 / 8, 'paper 4.1.1, batch of 256'],
  ['cutoff_len', 32_768, 'paper 4.1.1'],
];
const codePaper = (size: string, rate: number, batch: number): Figures => [
  ['model', qwen(`Coder-${size}`), 'paper 4.2.1'],
  ['learning_rate', rate, 'paper 4.2.1'],
  ['warmup_ratio', 0.1, 'paper 4.2.1, warm-up of 10%'],
  ['lr_scheduler', 'cosine', 'paper 4.2.1, cosine decay'],
  ['epochs', 2, 'paper 4.2.1'],
  oneRow,
  ['gradient_accumulation_steps', batch / 8, `paper 4.2.1, batch of ${batch}`],
  ['cutoff_len', 32_768, "ours: the script's"],
];

/** Of the presets of supervised fine-tuning. */
export const sftFigures: PresetFigures = {
  'afm-web-7b': gridSft('web_agent', '7B', [1.4e-5, 0.1, 16, 32_768]),
  'afm-web-32b': gridSft('web_agent', '32B', [1.4e-5, 0.1, 16, 32_768]),
  'afm-mhqa-3b': gridSft('mhqa_agent', '3B', [1e-5, 0.03, 16, 5120], 1),
  'afm-mhqa-7b': gridSft('mhqa_agent', '7B', [2e-5, 0.03, 4, 5120]),
  'afm-code-7b': codeSft('7B', 3e-5, 1),
  'afm-code-32b': codeSft('32B', 1.4e-5, 2),
  'afm-web-7b-paper': webPaper('7B'),
  'afm-web-32b-paper': webPaper('32B'),
  'afm-mhqa-3b-paper': webPaper('3B'),
  'afm-mhqa-7b-paper': webPaper('7B'),
  'afm-code-7b-paper': codePaper('7B', 3e-5, 32),
  'afm-code-32b-paper': codePaper('32B', 1.4e-5, 64),
};

/** What a script leaves to AFM's fork of verl. */
const verl = 'verl/verl/trainer/config/ppo_trainer.yaml';

/** Each key with its value, and the line that sets it; the one that hands it on, where that is another. */
type Told = Readonly<Record<string, readonly [value: number | string, ...Lines]>>;

function ofScript(script: string, told: Told): Figures {
  const at = placesIn(`AFM/train/${script}`);
  const figures: Figures = Object.entries(told).map(([key, [value, ...lines]]) => [key, value, at(...lines)]);
  return changed(
    [
      ['clip_low', 0.2, `${verl}:176`],
      ['clip_high', 0.2, `${verl}:179`],
      ['clip_c', 3, `${verl}:182`],
      ['weight_decay', 0.01, `${verl}:252`],
      ['critic_learning_rate', 1e-5, `${verl}:538`],
    ],
    ...figures,
  );
}

/** The figures with others in the place of those of the same keys. */
function changed(figures: Figures, ...others: Figures): Figures {
  const keys = new Set(others.map(([key]) => key));
  return [...figures.filter(([key]) => !keys.has(key)), ...others];
}

const sft = (agent: string, size: string) => `PersonalAILab/AFM-${agent}-${size}-sft`;
const webRl = ofScript('web_agent/rl/train_dapo_web_agent.sh', {
  model: [sft('WebAgent', '32B'), 38, 69],
  algorithm: ['dapo', 58],
  learning_rate: [1e-6, 7, 73],
  prompts_per_step: [64, 8, 61],
  mini_batch: [64, 9, 76],
  epochs: [2, 11, 113],
  steps: [60, 12, 114],
  rollouts: [8, 13, 97],
  clip_low: [0.2, 16, 86],
  clip_high: [0.28, 17, 87],
  max_prompt_tokens: [1024 * 2, 19, 64],
  max_response_tokens: [1024 * 30, 20, 65],
  tensor_parallel: [8, 25, 91],
  nodes: [8, 34, 108],
  gpus_per_node: [8, 107],
  warmup_steps: [3, 74],
  weight_decay: [0.1, 75],
  clip_c: [10, 88],
  kl_coefficient: [0, 84],
  max_generations: [25, 118],
});
const codeRl = ofScript('code_agent/rl/train_dapo_code_agent.sh', {
  model: [sft('CodeAgent', '32B'), 37, 67],
  algorithm: ['dapo', 56],
  learning_rate: [1e-6, 7, 71],
  prompts_per_step: [256, 8, 59],
  mini_batch: [32, 9, 73],
  epochs: [100, 11, 108],
  steps: [2000, 12, 109],
  rollouts: [8, 13, 93],
  clip_low: [0.2, 16, 83],
  clip_high: [0.28, 17, 84],
  max_prompt_tokens: [1024 * 4, 19, 62],
  max_response_tokens: [1024 * 16, 20, 63],
  tensor_parallel: [4, 25, 87],
  nodes: [8, 33, 103],
  gpus_per_node: [8, 102],
  warmup_steps: [10, 72],
  kl_coefficient: [0, 81],
  max_generations: [8, 113],
});
const mhqaRl = changed(
  ofScript('mhqa_agent/rl/train_ppo_mhqa_agent.sh', {
    algorithm: ['ppo', 57],
    learning_rate: [1e-6, 7, 72],
    prompts_per_step: [512, 8, 60],
    mini_batch: [256, 9, 74],
    epochs: [15, 11, 116],
    steps: [1005, 12, 117],
    rollouts: [1, 13, 92],
    max_prompt_tokens: [1024 * 2, 19, 63],
    max_response_tokens: [1024 * 8, 20, 64],
    tensor_parallel: [4, 25, 86],
    nodes: [2, 33, 111],
    gpus_per_node: [8, 110],
    model: [sft('MHQA-Agent', '7B'), 37, 68],
    kl_coefficient: [0.001, 82],
    critic_learning_rate: [1e-5, 97],
    max_generations: [8, 121],
  }),
  ['warmup_steps', Math.floor(0.285 * 1005), 'ours: lr_warmup_steps_ratio=0.285 of line 73, of 1,005 steps'],
);

/** Without machines, which only scripts name. */
const unplaced = (figures: Figures) => figures.filter(([key]) => !/^(nodes|gpus_per_node)$/.test(key));
const smaller = (figures: Figures, agent: string, size: string) =>
  changed(
    unplaced(figures),
    ['tensor_parallel', 2, 'ours: no script of this size is published'],
    ['model', sft(agent, size), 'ours: the name of the published size, with this one'],
  );
const webPaperRl = changed(
  unplaced(webRl),
  ['algorithm', 'dapo', 'paper 4.1.1, DAPO'],
  ['prompts_per_step', 64, 'paper 4.1.1, 64 prompts'],
  ['rollouts', 8, 'paper 4.1.1, 8 rollouts'],
  ['max_generations', 24 + 1, 'paper 4.1.1, 24 steps, then an answer'],
  ['max_response_tokens', 32 * 1024 - 2048, 'paper 4.1.1, 32k tokens'],
);
const codePaperRl = (window: number, steps: number) =>
  changed(
    unplaced(codeRl),
    ['algorithm', 'dapo', 'paper 4.2.1, DAPO'],
    ['prompts_per_step', 256, 'paper 4.2.1, batch of 256'],
    ['mini_batch', 32, 'paper 4.2.1, mini-batch of 32'],
    ['rollouts', 8, 'paper 4.2.1, 8 rollouts'],
    ['warmup_steps', 10, 'paper 4.2.1, 10 steps'],
    ['max_generations', 8 + 1, 'paper 4.2.1, 8 tool calls, then an answer'],
    ['max_response_tokens', window * 1024 - 4096, `paper 4.2.1, ${window}k tokens`],
    ['steps', steps, `paper 4.2.1, ${steps} steps`],
  );

/** Of the presets of reinforcement learning. */
export const rlFigures: PresetFigures = {
  'afm-web-7b': smaller(webRl, 'WebAgent', '7B'),
  'afm-web-32b': webRl,
  'afm-mhqa-3b': smaller(mhqaRl, 'MHQA-Agent', '3B'),
  'afm-mhqa-7b': mhqaRl,
  'afm-code-7b': smaller(codeRl, 'CodeAgent', '7B'),
  'afm-code-32b': codeRl,
  'afm-web-7b-paper': smaller(webPaperRl, 'WebAgent', '7B'),
  'afm-web-32b-paper': webPaperRl,
  'afm-mhqa-3b-paper': smaller(webPaperRl, 'MHQA-Agent', '3B'),
  'afm-mhqa-7b-paper': smaller(webPaperRl, 'MHQA-Agent', '7B'),
  'afm-code-7b-paper': smaller(codePaperRl(32, 150), 'CodeAgent', '7B'),
  'afm-code-32b-paper': codePaperRl(16, 120),
};
