/** Training runs that were published. Where AFM's script and paper differ, `-paper` has the paper's figures. */
export const trainingPresetNames = [
  'afm-web-7b',
  'afm-web-32b',
  'afm-mhqa-3b',
  'afm-mhqa-7b',
  'afm-code-7b',
  'afm-code-32b',
  'afm-web-7b-paper',
  'afm-web-32b-paper',
  'afm-mhqa-3b-paper',
  'afm-mhqa-7b-paper',
  'afm-code-7b-paper',
  'afm-code-32b-paper',
] as const;
export type TrainingPresetName = (typeof trainingPresetNames)[number];

/** Where published figures come from, and what is known of the run besides. */
export interface PublishedRun {
  /** Where its values were read. A test holds the line or section of each. */
  readonly source: string;
  /** Machines and GPUs that the source names; null where it names none. */
  readonly hardware: { readonly nodes: number; readonly gpus_per_node: number } | null;
  /** What the source leaves open, and what is not taken over. */
  readonly not_published: string;
}

/** What a preset says about the job. Rates are unitless, lengths in tokens. */
export interface PresetHyperParameters {
  /** Base model. */
  readonly model: string;
  readonly learning_rate: number;
  readonly warmup_ratio: number;
  readonly lr_scheduler: 'linear' | 'cosine' | 'constant';
  readonly epochs: number;
  readonly per_device_batch_size: number;
  readonly gradient_accumulation_steps: number;
}

/** A published run of supervised fine-tuning. */
export interface TrainingPreset extends PublishedRun {
  readonly hyper_parameters: PresetHyperParameters;
  /** `dataset.cutoff_len` that goes with it: what the run cut its rows at. */
  readonly cutoff_len: number;
}

/** AFM's scripts, at commit 8f94516. */
export const afmScripts = 'github.com/OPPO-PersonalAI/Agent_Foundation_Models, AFM/train';
/** AFM's paper, first version. */
export const afmPaper = 'arXiv 2508.13167';

const oneMachine = { nodes: 1, gpus_per_node: 8 };

/** Of all scripts: ZeRO stage 3, bfloat16, full fine-tuning, one row a GPU. The schedule is the Trainer's default. */
const common = { lr_scheduler: 'linear', per_device_batch_size: 1 } as const;
const web = {
  ...common,
  learning_rate: 1.4e-5,
  warmup_ratio: 0.1,
  epochs: 4,
  gradient_accumulation_steps: 16,
};
const mhqa = { ...common, warmup_ratio: 0.03, epochs: 4 };
// No warm-up is set: the Trainer's default is none.
const code = { ...common, warmup_ratio: 0, epochs: 2, gradient_accumulation_steps: 4 };

const ofScripts =
  "The scheduler (Trainer's default: linear), the seed, the kind of GPU and the hours are not published. The scripts also set report_to: swanlab, trust_remote_code and save_only_model: true; the last is left out because nothing could be resumed from such checkpoints";
const instruct = 'The script names the model without saying whether Instruct; the paper says Instruct';

/** Section 4.1.1, of web and multi-hop runs alike. A batch of 256 rows. */
const webPaper = {
  ...web,
  lr_scheduler: 'cosine',
  warmup_ratio: 0,
  epochs: 2.5,
  gradient_accumulation_steps: 32,
} as const;
/** Section 4.2.1. */
const codePaper = { ...code, lr_scheduler: 'cosine', warmup_ratio: 0.1 } as const;
const ofPaper =
  'The paper names the rows of a step, which is reached here with one row on each of 8 GPUs: with other numbers set gradient_accumulation_steps. The seed, the GPUs and the hours are not published';

function script(path: string, hardware = oneMachine): Pick<TrainingPreset, 'source' | 'hardware'> {
  return { source: `${afmScripts}/${path}`, hardware };
}

function paper(section: string): Pick<TrainingPreset, 'source' | 'hardware'> {
  return { source: `${afmPaper}, section ${section}`, hardware: null };
}

const qwen = (size: string) => `Qwen/Qwen2.5-${size}-Instruct`;
const longRows = 32_768;
const shortRows = 5120;

/** The supervised fine-tuning of AFM's released models: the values of its scripts and of its paper, as far as they say. */
export const trainingPresets: Readonly<Record<TrainingPresetName, TrainingPreset>> = {
  'afm-web-7b': {
    hyper_parameters: { ...web, model: qwen('7B') },
    cutoff_len: longRows,
    ...script('web_agent/sft/sft_qwen2.5_7b.sh'),
    not_published: `${ofScripts}. ${instruct}. A remark in the script says "with 2 nodes", its settings say one`,
  },
  'afm-web-32b': {
    hyper_parameters: { ...web, model: qwen('32B') },
    cutoff_len: longRows,
    ...script('web_agent/sft/sft_qwen2.5_32b.sh'),
    not_published: `${ofScripts}. ${instruct}. A remark in the script says "with 2 nodes", its settings say one`,
  },
  'afm-mhqa-3b': {
    hyper_parameters: { ...mhqa, model: qwen('3B'), learning_rate: 1e-5, gradient_accumulation_steps: 16 },
    cutoff_len: shortRows,
    ...script('mhqa_agent/sft/sft_qwen2.5_3b.sh'),
    not_published: `${ofScripts}. ${instruct}, and has runs of the base model as well`,
  },
  'afm-mhqa-7b': {
    hyper_parameters: { ...mhqa, model: qwen('7B'), learning_rate: 2e-5, gradient_accumulation_steps: 4 },
    cutoff_len: shortRows,
    ...script('mhqa_agent/sft/sft_qwen2.5_7b.sh'),
    not_published: `${ofScripts}. The script's name says 7B, the model in it is "Qwen2.5-3B": the name is believed. ${instruct}, and has runs of the base model as well`,
  },
  'afm-code-7b': {
    hyper_parameters: { ...code, model: qwen('Coder-7B'), learning_rate: 3e-5 },
    cutoff_len: longRows,
    ...script('code_agent/sft/sft_qwen2.5_7b.sh'),
    not_published: ofScripts,
  },
  'afm-code-32b': {
    hyper_parameters: { ...code, model: qwen('Coder-32B'), learning_rate: 1.4e-5 },
    cutoff_len: longRows,
    ...script('code_agent/sft/sft_qwen2.5_32b.sh', { nodes: 2, gpus_per_node: 8 }),
    not_published: ofScripts,
  },
  'afm-web-7b-paper': {
    hyper_parameters: { ...webPaper, model: qwen('7B') },
    cutoff_len: longRows,
    ...paper('4.1.1'),
    not_published: `${ofPaper}. It names no warm-up`,
  },
  'afm-web-32b-paper': {
    hyper_parameters: { ...webPaper, model: qwen('32B') },
    cutoff_len: longRows,
    ...paper('4.1.1'),
    not_published: `${ofPaper}. It names no warm-up`,
  },
  'afm-mhqa-3b-paper': {
    hyper_parameters: { ...webPaper, model: qwen('3B') },
    cutoff_len: longRows,
    ...paper('4.1.1'),
    not_published: `${ofPaper}. It names no warm-up, and no figures of its own for multi-hop runs`,
  },
  'afm-mhqa-7b-paper': {
    hyper_parameters: { ...webPaper, model: qwen('7B') },
    cutoff_len: longRows,
    ...paper('4.1.1'),
    not_published: `${ofPaper}. It names no warm-up, and no figures of its own for multi-hop runs`,
  },
  'afm-code-7b-paper': {
    hyper_parameters: { ...codePaper, model: qwen('Coder-7B'), learning_rate: 3e-5 },
    cutoff_len: longRows,
    ...paper('4.2.1'),
    not_published: `${ofPaper}. The length of rows is the script's`,
  },
  'afm-code-32b-paper': {
    hyper_parameters: {
      ...codePaper,
      model: qwen('Coder-32B'),
      learning_rate: 1.4e-5,
      gradient_accumulation_steps: 8,
    },
    cutoff_len: longRows,
    ...paper('4.2.1'),
    not_published: `${ofPaper}. The length of rows is the script's`,
  },
};
