import type { TrainingPresetName } from '../../../schemas/training/presets.ts';

/** Where a figure that we call AFM's or its paper's was read. */
export interface PublishedFigure {
  /** A file of AFM's repository at commit 8f94516, the paper's section, or whose default it is. */
  readonly source: string;
  /** Of the file; absent for others. */
  readonly line?: number;
  /** What stands there, as far as it holds the value. */
  readonly text: string;
  /** For a shell variable: the line that hands it to the trainer. A variable that is only defined is no figure. */
  readonly passed?: readonly [line: number, text: string];
  /** Where the text holds the value in other words. */
  readonly value?: unknown;
}

/** A value that nobody published, and why it is what it is. */
export interface OwnFigure {
  readonly ours: string;
}

/** The figures of a preset by name: its hyper-parameters, `cutoff_len`, `nodes`, `gpus_per_node`. */
export type Figures = Readonly<Record<string, PublishedFigure | OwnFigure>>;

/** A line of a file, with what else is known of it. */
type Place = readonly [line: number, text: string, more?: Pick<PublishedFigure, 'passed' | 'value'>];
type Places = Readonly<Record<string, Place>>;

function figuresOf(source: string, places: Places): Figures {
  const figures = Object.entries(places).map(([key, [line, text, more]]) => [
    key,
    { source, line, text, ...more },
  ]);
  return Object.fromEntries(figures);
}

/** A line that sets a shell variable, and the one that hands it to the trainer. */
function passedOn(line: number, text: string, passedLine: number, passedText: string): Place {
  return [line, text, { passed: [passedLine, passedText] }];
}

const defaultOfTrainer = (key: string, value: unknown): PublishedFigure => ({
  source: 'the default of transformers, TrainingArguments',
  text: key,
  value,
});
const inPaper = (section: string, text: string, value?: unknown): PublishedFigure => ({
  source: `arXiv 2508.13167, section ${section}`,
  text,
  ...(value !== undefined && { value }),
});
const modelOf = (name: string, section: string): PublishedFigure => inPaper(section, name, `Qwen/${name}`);

const eightGpus = 'CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7';
const qwen = (size: string) => `Qwen2.5-${size}-Instruct`;

/** The scripts of web and multi-hop runs, which have one form; `shift` lines further up. */
function gridSft(
  script: string,
  size: string,
  told: readonly [rate: string, warmup: string, passes: number, cutoff: number],
  shift = 0,
): Figures {
  const [rate, warmup, passes, cutoff] = told;
  // Further down another line is missing.
  const passed = (line: number) => line - 3 * shift;
  return {
    ...figuresOf(`AFM/train/${script}`, {
      learning_rate: passedOn(27 - shift, `LEARNING_RATES=("${rate}")`, passed(66), '--learning_rate "$LR"'),
      warmup_ratio: passedOn(28 - shift, `WARMUP_RATIOS=("${warmup}")`, passed(67), '--warmup_ratio "$WR"'),
      per_device_batch_size: passedOn(
        29 - shift,
        'BATCH_SIZES=(1)',
        passed(64),
        '--per_device_train_batch_size "$BS"',
      ),
      gradient_accumulation_steps: passedOn(
        30 - shift,
        `GRADIENT_ACCUMULATIONS=(${passes})`,
        passed(65),
        '--gradient_accumulation_steps "$GA"',
      ),
      epochs: passedOn(14 - shift, 'EPOCHS=4.0', passed(68), '--num_train_epochs "$EPOCHS"'),
      cutoff_len: passedOn(16 - shift, `CUTOFF_LEN=${cutoff}`, passed(62), '--cutoff_len $CUTOFF_LEN'),
      nodes: [6 - shift, 'export NNODES=1'],
      gpus_per_node: [9 - shift, eightGpus, { value: 8 }],
    }),
    model: modelOf(qwen(size), '4.1.1'),
    lr_scheduler: defaultOfTrainer('lr_scheduler_type', 'linear'),
  };
}

function codeSft(size: string, rate: string, nodes: number): Figures {
  return {
    ...figuresOf(`AFM/train/code_agent/sft/sft_qwen2.5_${size.toLowerCase()}.sh`, {
      model: [
        4,
        `MODEL_PATH="Qwen/Qwen2.5-Coder-${size}-Instruct"`,
        {
          value: `Qwen/Qwen2.5-Coder-${size}-Instruct`,
          passed: [34, '--model_name_or_path "$MODEL_PATH"'],
        },
      ],
      learning_rate: passedOn(13, `LEARNING_RATE="${rate}"`, 45, '--learning_rate "$LEARNING_RATE"'),
      per_device_batch_size: passedOn(14, 'BATCH_SIZE=1', 43, '--per_device_train_batch_size "$BATCH_SIZE"'),
      gradient_accumulation_steps: passedOn(
        15,
        'GRADIENT_ACCUMULATION=4',
        44,
        '--gradient_accumulation_steps "$GRADIENT_ACCUMULATION"',
      ),
      epochs: passedOn(16, 'EPOCHS=2.0', 46, '--num_train_epochs "$EPOCHS"'),
      cutoff_len: passedOn(18, 'CUTOFF_LEN=32768', 41, '--cutoff_len $CUTOFF_LEN'),
      nodes: [6, `export NNODES=${nodes}`],
      gpus_per_node: [9, eightGpus, { value: 8 }],
    }),
    warmup_ratio: defaultOfTrainer('warmup_ratio', 0),
    lr_scheduler: defaultOfTrainer('lr_scheduler_type', 'linear'),
  };
}

const oneRow: OwnFigure = { ours: 'one row on a GPU, as the scripts have it' };
const webPaper = (size: string): Figures => ({
  model: modelOf(qwen(size), '4.1.1'),
  learning_rate: inPaper('4.1.1', '1.4e-5'),
  warmup_ratio: defaultOfTrainer('warmup_ratio', 0),
  lr_scheduler: inPaper('4.1.1', 'cosine decay', 'cosine'),
  epochs: inPaper('4.1.1', '2.5 epochs'),
  per_device_batch_size: oneRow,
  gradient_accumulation_steps: inPaper('4.1.1', 'batch of 256', 256 / 8),
  cutoff_len: inPaper('4.1.1', '32768 tokens'),
});
const codePaper = (size: string, rate: string, batch: number): Figures => ({
  model: modelOf(qwen(`Coder-${size}`), '4.2.1'),
  learning_rate: inPaper('4.2.1', rate),
  warmup_ratio: inPaper('4.2.1', 'warm-up of 10%', 0.1),
  lr_scheduler: inPaper('4.2.1', 'cosine decay', 'cosine'),
  epochs: inPaper('4.2.1', '2 epochs'),
  per_device_batch_size: oneRow,
  gradient_accumulation_steps: inPaper('4.2.1', `batch of ${batch}`, batch / 8),
  cutoff_len: { ours: "the script's" },
});

/** Of the presets of supervised fine-tuning. */
export const sftFigures: Readonly<Record<TrainingPresetName, Figures>> = {
  'afm-web-7b': gridSft('web_agent/sft/sft_qwen2.5_7b.sh', '7B', ['1.4e-5', '0.1', 16, 32_768]),
  'afm-web-32b': gridSft('web_agent/sft/sft_qwen2.5_32b.sh', '32B', ['1.4e-5', '0.1', 16, 32_768]),
  'afm-mhqa-3b': gridSft('mhqa_agent/sft/sft_qwen2.5_3b.sh', '3B', ['1e-5', '0.03', 16, 5120], 1),
  'afm-mhqa-7b': gridSft('mhqa_agent/sft/sft_qwen2.5_7b.sh', '7B', ['2e-5', '0.03', 4, 5120]),
  'afm-code-7b': codeSft('7B', '3e-5', 1),
  'afm-code-32b': codeSft('32B', '1.4e-5', 2),
  'afm-web-7b-paper': webPaper('7B'),
  'afm-web-32b-paper': webPaper('32B'),
  'afm-mhqa-3b-paper': webPaper('3B'),
  'afm-mhqa-7b-paper': webPaper('7B'),
  'afm-code-7b-paper': codePaper('7B', '3e-5', 32),
  'afm-code-32b-paper': codePaper('32B', '1.4e-5', 64),
};

/** What a script leaves to AFM's fork of verl. */
const ofVerl = figuresOf('verl/verl/trainer/config/ppo_trainer.yaml', {
  clip_low: [176, 'clip_ratio_low: 0.2'],
  clip_high: [179, 'clip_ratio_high: 0.2'],
  clip_c: [182, 'clip_ratio_c: 3.0'],
  weight_decay: [252, 'weight_decay: 0.01'],
  critic_learning_rate: [538, 'lr: 1e-5'],
});

const rollout = 'actor_rollout_ref.rollout';
const actor = 'actor_rollout_ref.actor';

/** The three scripts set most by variables, in one order; their last lines differ. */
function common(
  numbers: readonly [batch: number, mini: number, epochs: number, steps: number, rollouts: number],
  k: readonly [prompt: number, response: number],
  parallel: readonly [line: number, gpus: number],
  passed: Readonly<
    Record<'batch' | 'prompt' | 'response' | 'lr' | 'mini' | 'parallel' | 'n' | 'epochs' | 'steps', number>
  >,
): Places {
  const [batch, mini, epochs, steps, rollouts] = numbers;
  return {
    learning_rate: passedOn(7, 'ACTOR_LR=1e-6', passed.lr, `${actor}.optim.lr="\${ACTOR_LR}"`),
    prompts_per_step: passedOn(8, `TRAIN_BS=${batch}`, passed.batch, `data.train_batch_size="\${TRAIN_BS}"`),
    mini_batch: passedOn(
      9,
      `PPO_MINI_BS=${mini}`,
      passed.mini,
      `${actor}.ppo_mini_batch_size="\${PPO_MINI_BS}"`,
    ),
    epochs: passedOn(11, `EPOCHS=${epochs}`, passed.epochs, `trainer.total_epochs="\${EPOCHS}"`),
    steps: passedOn(12, `STEPS=${steps}`, passed.steps, `trainer.total_training_steps="\${STEPS}"`),
    rollouts: passedOn(13, `N=${rollouts}`, passed.n, `${rollout}.n=$N`),
    max_prompt_tokens: passedOn(
      19,
      `max_prompt_length=$((1024 * ${k[0]}))`,
      passed.prompt,
      `data.max_prompt_length=\${max_prompt_length}`,
    ),
    max_response_tokens: passedOn(
      20,
      `max_response_length=$((1024 * ${k[1]}))`,
      passed.response,
      `data.max_response_length=\${max_response_length}`,
    ),
    tensor_parallel: passedOn(
      parallel[0],
      `GEN_TP=${parallel[1]}`,
      passed.parallel,
      `${rollout}.tensor_model_parallel_size=$GEN_TP`,
    ),
  };
}

const clipping = (low: number): Places => ({
  clip_low: passedOn(16, 'CLIP_RATIO_LOW=0.2', low, `${actor}.clip_ratio_low=$CLIP_RATIO_LOW`),
  clip_high: passedOn(17, 'CLIP_RATIO_HIGH=0.28', low + 1, `${actor}.clip_ratio_high=$CLIP_RATIO_HIGH`),
});
const dapo = (line: number): Place => [line, 'algorithm.filter_groups.enable=true', { value: 'dapo' }];
const machines = (nodes: Place, gpus: number): Places => ({
  nodes,
  gpus_per_node: [gpus, 'trainer.n_gpus_per_node=8'],
});

const webRl: Figures = {
  ...ofVerl,
  ...figuresOf('AFM/train/web_agent/rl/train_dapo_web_agent.sh', {
    ...common([64, 64, 2, 60, 8], [2, 30], [25, 8], {
      batch: 61,
      prompt: 64,
      response: 65,
      lr: 73,
      mini: 76,
      parallel: 91,
      n: 97,
      epochs: 113,
      steps: 114,
    }),
    ...clipping(86),
    ...machines(passedOn(34, 'export NNODES=8', 108, 'trainer.nnodes=$NNODES'), 107),
    algorithm: dapo(58),
    warmup_steps: [74, `${actor}.optim.lr_warmup_steps=3`],
    weight_decay: [75, `${actor}.optim.weight_decay=0.1`],
    clip_c: [88, `${actor}.clip_ratio_c=10.0`],
    kl_coefficient: [84, `${actor}.kl_loss_coef=0.0`],
    max_generations: [118, `${rollout}.multi_turn.max_turns=25`],
  }),
};
const codeRl: Figures = {
  ...ofVerl,
  ...figuresOf('AFM/train/code_agent/rl/train_dapo_code_agent.sh', {
    ...common([256, 32, 100, 2000, 8], [4, 16], [25, 4], {
      batch: 59,
      prompt: 62,
      response: 63,
      lr: 71,
      mini: 73,
      parallel: 87,
      n: 93,
      epochs: 108,
      steps: 109,
    }),
    ...clipping(83),
    ...machines(passedOn(33, 'export NNODES=8', 103, 'trainer.nnodes=$NNODES'), 102),
    algorithm: dapo(56),
    warmup_steps: [72, `${actor}.optim.lr_warmup_steps=10`],
    kl_coefficient: [81, `${actor}.kl_loss_coef=0.0`],
    max_generations: [113, `${rollout}.multi_turn.max_turns=8`],
  }),
};
const mhqaRl: Figures = {
  ...ofVerl,
  ...figuresOf('AFM/train/mhqa_agent/rl/train_ppo_mhqa_agent.sh', {
    ...common([512, 256, 15, 1005, 1], [2, 8], [25, 4], {
      batch: 60,
      prompt: 63,
      response: 64,
      lr: 72,
      mini: 74,
      parallel: 86,
      n: 92,
      epochs: 116,
      steps: 117,
    }),
    ...machines(passedOn(33, 'export NNODES=2', 111, 'trainer.nnodes=$NNODES'), 110),
    algorithm: [57, 'algorithm.adv_estimator=gae', { value: 'ppo' }],
    warmup_steps: [73, `${actor}.optim.lr_warmup_steps_ratio=0.285`, { value: Math.floor(0.285 * 1005) }],
    kl_coefficient: [82, `${actor}.kl_loss_coef=0.001`],
    critic_learning_rate: [97, 'critic.optim.lr=1e-5'],
    max_generations: [121, `${rollout}.multi_turn.max_turns=8`],
  }),
};

const smaller = { tensor_parallel: { ours: 'no script of this size is published' } };
const webPaperRl: Figures = {
  ...webRl,
  algorithm: inPaper('4.1.1', 'DAPO', 'dapo'),
  prompts_per_step: inPaper('4.1.1', '64 prompts'),
  rollouts: inPaper('4.1.1', '8 rollouts'),
  max_generations: inPaper('4.1.1', '24 steps, then an answer', 24 + 1),
  max_response_tokens: inPaper('4.1.1', '32k tokens', 32 * 1024 - 2048),
};
const codePaperRl = (window: number, steps: number): Figures => ({
  ...codeRl,
  algorithm: inPaper('4.2.1', 'DAPO', 'dapo'),
  prompts_per_step: inPaper('4.2.1', 'batch of 256', 256),
  mini_batch: inPaper('4.2.1', 'mini-batch of 32', 32),
  rollouts: inPaper('4.2.1', '8 rollouts'),
  warmup_steps: inPaper('4.2.1', '10 steps'),
  max_generations: inPaper('4.2.1', '8 tool calls, then an answer', 8 + 1),
  max_response_tokens: inPaper('4.2.1', `${window}k tokens`, window * 1024 - 4096),
  steps: inPaper('4.2.1', `${steps} steps`),
});

/** Of the presets of reinforcement learning. */
export const rlFigures: Readonly<Record<TrainingPresetName, Figures>> = {
  'afm-web-7b': { ...webRl, ...smaller },
  'afm-web-32b': webRl,
  'afm-mhqa-3b': { ...mhqaRl, ...smaller },
  'afm-mhqa-7b': mhqaRl,
  'afm-code-7b': { ...codeRl, ...smaller },
  'afm-code-32b': codeRl,
  'afm-web-7b-paper': { ...webPaperRl, ...smaller },
  'afm-web-32b-paper': webPaperRl,
  'afm-mhqa-3b-paper': { ...webPaperRl, ...smaller },
  'afm-mhqa-7b-paper': { ...webPaperRl, ...smaller },
  'afm-code-7b-paper': { ...codePaperRl(32, 150), ...smaller },
  'afm-code-32b-paper': codePaperRl(16, 120),
};
