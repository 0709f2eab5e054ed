/** Source and hardware of published figures. */
export interface PublishedRun {
  /** Source of the values; a test checks the line or section of each. */
  readonly source: string;
  /** Machines and GPUs in the source; null if not stated. */
  readonly hardware: { readonly nodes: number; readonly gpus_per_node: number } | null;
  /** Values that the source leaves open or that are not adopted. */
  readonly not_published: string;
}

/** Hyper-parameters of a preset. Rates are unitless, lengths in tokens. */
interface PresetHyperParameters {
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
  /** Matching `dataset.cutoff_len`: the row length of the run. */
  readonly cutoff_len: number;
}

/** AFM's scripts, at commit 8f94516. */
export const afmScripts = 'github.com/OPPO-PersonalAI/Agent_Foundation_Models, AFM/train';
export const afmPaper = 'arXiv 2508.13167';

/**
 * Common to all scripts: ZeRO stage 3, bfloat16, full fine-tuning, one row per GPU. The schedule is the Trainer's
 * default.
 */
const common = { lr_scheduler: 'linear', per_device_batch_size: 1 } as const;
const web = {
  ...common,
  learning_rate: 1.4e-5,
  warmup_ratio: 0.1,
  epochs: 4,
  gradient_accumulation_steps: 16,
};
const mhqa = { ...common, warmup_ratio: 0.03, epochs: 4 };
// No warm-up is set; the Trainer's default is 0.
const code = { ...common, warmup_ratio: 0, epochs: 2, gradient_accumulation_steps: 4 };
/** Section 4.1.1, for web and multi-hop runs. Batches of 256 rows. */
const webPaper = {
  ...web,
  lr_scheduler: 'cosine',
  warmup_ratio: 0,
  epochs: 2.5,
  gradient_accumulation_steps: 32,
} as const;
/** Section 4.2.1. */
const codePaper = { ...code, lr_scheduler: 'cosine', warmup_ratio: 0.1 } as const;

const longRows = 32_768;

/** Figures of a run with the model's size in place of its name. */
type Figures = Omit<PresetHyperParameters, 'model'> & { readonly size: string };

const figuresOf = ({ size, ...rest }: Figures) => ({ ...rest, model: `Qwen/Qwen2.5-${size}-Instruct` });

/** Preset from a script; remarks are appended to those on all scripts. */
function script(
  path: string,
  figures: Figures,
  { cutoff_len = longRows, remarks = '', nodes = 1 } = {},
): TrainingPreset {
  return {
    hyper_parameters: figuresOf(figures),
    cutoff_len,
    source: `${afmScripts}/${path}`,
    hardware: { nodes, gpus_per_node: 8 },
    not_published: `The scheduler (Trainer's default: linear), the seed, the kind of GPU and the hours are not published. The scripts also set report_to: swanlab, trust_remote_code and save_only_model: true; the last is left out because nothing could be resumed from such checkpoints${remarks}`,
  };
}

function paper(section: string, figures: Figures, remarks: string): TrainingPreset {
  return {
    hyper_parameters: figuresOf(figures),
    cutoff_len: longRows,
    source: `${afmPaper}, section ${section}`,
    hardware: null,
    not_published: `The paper names the rows of a step, which is reached here with one row on each of 8 GPUs: with other numbers set gradient_accumulation_steps. The seed, the GPUs and the hours are not published. ${remarks}`,
  };
}

const instruct = '. The script names the model without saying whether Instruct; the paper says Instruct';
const ofWeb = `${instruct}. A remark in the script says "with 2 nodes", its settings say one`;
const base = ', and has runs of the base model as well';
const noWarmUp = 'It names no warm-up';
const noMultiHop = `${noWarmUp}, and no figures of its own for multi-hop runs`;
const scriptLength = "The length of rows is the script's";

const table = {
  'afm-web-7b': script('web_agent/sft/sft_qwen2.5_7b.sh', { ...web, size: '7B' }, { remarks: ofWeb }),
  'afm-web-32b': script('web_agent/sft/sft_qwen2.5_32b.sh', { ...web, size: '32B' }, { remarks: ofWeb }),
  'afm-mhqa-3b': script(
    'mhqa_agent/sft/sft_qwen2.5_3b.sh',
    { ...mhqa, size: '3B', learning_rate: 1e-5, gradient_accumulation_steps: 16 },
    { cutoff_len: 5120, remarks: instruct + base },
  ),
  'afm-mhqa-7b': script(
    'mhqa_agent/sft/sft_qwen2.5_7b.sh',
    { ...mhqa, size: '7B', learning_rate: 2e-5, gradient_accumulation_steps: 4 },
    {
      cutoff_len: 5120,
      remarks: `. The script's name says 7B, the model in it is "Qwen2.5-3B": the name is believed${instruct}${base}`,
    },
  ),
  'afm-code-7b': script('code_agent/sft/sft_qwen2.5_7b.sh', {
    ...code,
    size: 'Coder-7B',
    learning_rate: 3e-5,
  }),
  'afm-code-32b': script(
    'code_agent/sft/sft_qwen2.5_32b.sh',
    { ...code, size: 'Coder-32B', learning_rate: 1.4e-5 },
    { nodes: 2 },
  ),
  'afm-web-7b-paper': paper('4.1.1', { ...webPaper, size: '7B' }, noWarmUp),
  'afm-web-32b-paper': paper('4.1.1', { ...webPaper, size: '32B' }, noWarmUp),
  'afm-mhqa-3b-paper': paper('4.1.1', { ...webPaper, size: '3B' }, noMultiHop),
  'afm-mhqa-7b-paper': paper('4.1.1', { ...webPaper, size: '7B' }, noMultiHop),
  'afm-code-7b-paper': paper('4.2.1', { ...codePaper, size: 'Coder-7B', learning_rate: 3e-5 }, scriptLength),
  'afm-code-32b-paper': paper(
    '4.2.1',
    { ...codePaper, size: 'Coder-32B', learning_rate: 1.4e-5, gradient_accumulation_steps: 8 },
    scriptLength,
  ),
} satisfies Readonly<Record<string, TrainingPreset>>;

/** Names of published training runs. Where AFM's script and paper differ, `-paper` has the paper's figures. */
export type TrainingPresetName = keyof typeof table;
export const trainingPresetNames = Object.keys(table) as [TrainingPresetName];
/** Supervised fine-tuning of AFM's released models: values published in its scripts and paper. */
export const trainingPresets: Readonly<Record<TrainingPresetName, TrainingPreset>> = table;
