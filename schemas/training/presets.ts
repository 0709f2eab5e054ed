/** Hyper-parameters that were published and can be asked for by name. */
export const trainingPresetNames = [
  'afm-web-7b',
  'afm-web-32b',
  'afm-mhqa-3b',
  'afm-mhqa-7b',
  'afm-code-7b',
  'afm-code-32b',
] as const;
export type TrainingPresetName = (typeof trainingPresetNames)[number];

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

/** A published training run. */
export interface TrainingPreset {
  readonly hyper_parameters: PresetHyperParameters;
  /** `dataset.cutoff_len` that goes with it: what the run cut its rows at. */
  readonly cutoff_len: number;
  /** Where its values were read. */
  readonly source: string;
  /** Machines and GPUs that the source names; what kind of GPU, and how long it took, none of them says. */
  readonly hardware: { readonly nodes: number; readonly gpus_per_node: number };
  /** What the source leaves to the trainer, and what is not taken over. */
  readonly not_published: string;
}

const repository = 'github.com/OPPO-PersonalAI/Agent_Foundation_Models';
const oneMachine = { nodes: 1, gpus_per_node: 8 };
/** Common to all scripts: ZeRO stage 3, bfloat16, full fine-tuning, one row a GPU. */
const untold =
  "The scheduler (Trainer's default: linear), the seed, the kind of GPU and the hours are not published. The scripts also set report_to: swanlab, trust_remote_code and save_only_model: true; the last is left out because nothing could be resumed from such checkpoints";
const common = { lr_scheduler: 'linear', per_device_batch_size: 1 } as const;

const web = {
  ...common,
  learning_rate: 1.4e-5,
  warmup_ratio: 0.1,
  epochs: 4,
  gradient_accumulation_steps: 16,
};
const webRemark = 'A remark in the script says "with 2 nodes", its settings say one';
const mhqa = { ...common, warmup_ratio: 0.03, epochs: 4 };
const code = { ...common, warmup_ratio: 0, epochs: 2, gradient_accumulation_steps: 4 };
const codeRemark = "No warm-up is set: Trainer's default is none";

/** The supervised fine-tuning of AFM's released models: the values of its scripts, as far as they set them. */
export const trainingPresets: Readonly<Record<TrainingPresetName, TrainingPreset>> = {
  'afm-web-7b': {
    hyper_parameters: { ...web, model: 'Qwen/Qwen2.5-7B-Instruct' },
    cutoff_len: 32_768,
    source: `${repository}, AFM/train/web_agent/sft/sft_qwen2.5_7b.sh`,
    hardware: oneMachine,
    not_published: `${untold}. ${webRemark}. The model is "Qwen2.5-7B" there: whether Instruct is not said`,
  },
  'afm-web-32b': {
    hyper_parameters: { ...web, model: 'Qwen/Qwen2.5-32B-Instruct' },
    cutoff_len: 32_768,
    source: `${repository}, AFM/train/web_agent/sft/sft_qwen2.5_32b.sh`,
    hardware: oneMachine,
    not_published: `${untold}. ${webRemark}. The model is "Qwen2.5-32B" there: whether Instruct is not said`,
  },
  'afm-mhqa-3b': {
    hyper_parameters: {
      ...mhqa,
      model: 'Qwen/Qwen2.5-3B-Instruct',
      learning_rate: 1e-5,
      gradient_accumulation_steps: 16,
    },
    cutoff_len: 5120,
    source: `${repository}, AFM/train/mhqa_agent/sft/sft_qwen2.5_3b.sh`,
    hardware: oneMachine,
    not_published: `${untold}. The model is "Qwen2.5-3B" there: whether Instruct is not said`,
  },
  'afm-mhqa-7b': {
    hyper_parameters: {
      ...mhqa,
      model: 'Qwen/Qwen2.5-7B-Instruct',
      learning_rate: 2e-5,
      gradient_accumulation_steps: 4,
    },
    cutoff_len: 5120,
    source: `${repository}, AFM/train/mhqa_agent/sft/sft_qwen2.5_7b.sh`,
    hardware: oneMachine,
    not_published: `${untold}. The script's name says 7B, the model in it is "Qwen2.5-3B": the name is believed; whether Instruct is not said`,
  },
  'afm-code-7b': {
    hyper_parameters: { ...code, model: 'Qwen/Qwen2.5-Coder-7B-Instruct', learning_rate: 3e-5 },
    cutoff_len: 32_768,
    source: `${repository}, AFM/train/code_agent/sft/sft_qwen2.5_7b.sh`,
    hardware: oneMachine,
    not_published: `${untold}. ${codeRemark}`,
  },
  'afm-code-32b': {
    hyper_parameters: { ...code, model: 'Qwen/Qwen2.5-Coder-32B-Instruct', learning_rate: 1.4e-5 },
    cutoff_len: 32_768,
    source: `${repository}, AFM/train/code_agent/sft/sft_qwen2.5_32b.sh`,
    hardware: { nodes: 2, gpus_per_node: 8 },
    not_published: `${untold}. ${codeRemark}`,
  },
};
