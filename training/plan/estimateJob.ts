import type { TrainingFootprint } from '../../contract/trainer.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';

/** What the estimates know of a model; null where neither its folder nor its name tells. */
export interface ModelFacts {
  /** Weights in all. */
  readonly parameters: number | null;
  readonly layers: number | null;
  readonly hiddenSize: number | null;
  /** Rows of the embedding. */
  readonly vocabularySize: number | null;
}

/**
 * What a model's name says: `Qwen2.5-7B-Instruct` has 7 billion weights. A mixture (`8x7B`) says nothing, since its
 * experts share weights.
 */
export function modelFactsOfName(name: string): ModelFacts {
  const last = name.split('/').at(-1)!;
  const size = /(?:^|[-_ ])(\d+(?:\.\d+)?)b(?![a-z])/i.exec(last);
  const parameters = size ? Number(size[1]) * 1e9 : null;
  return { parameters: parameters || null, layers: null, hiddenSize: null, vocabularySize: null };
}

/** Peak of the GPU that hours are estimated for: an A100's bfloat16 matrix units, in operations a second. */
export const assumedFlops = 312e12;
/** Share of the peak that training gets out of the GPU, recomputation not counted as work. */
export const assumedUtilisation = 0.35;

/** Bytes a weight takes in full fine-tuning: 2 + 2 for weight and gradient, 4 + 4 + 4 for Adam's copy and moments. */
const FULL_BYTES = 16;
/** A weight alone, in bfloat16: all that LoRA keeps of the base model. */
const FROZEN_BYTES = 2;
/** CUDA's own, with NCCL's buffers. */
const CONTEXT_BYTES = 2e9;
/** Bytes a token and hidden unit of the one layer that is recomputed (Korthikanti et al. 2022, without scores). */
const LAYER_BYTES = 34;
/** Bytes a token and vocabulary entry: bfloat16 logits, their float32 copy and its gradient. */
const LOGIT_BYTES = 10;
/** Where only the number of weights is known: hidden size / layers, and the embedding's rows, of current models. */
const USUAL_WIDTH_TO_DEPTH = 128;
const USUAL_VOCABULARY = 152_000;

/** A model that a job holds. */
export type TrainedModel = NonNullable<TrainingPlan['rl']>['models'][number];

/** What an estimate is made from. */
interface EstimateInput {
  readonly facts: ModelFacts;
  readonly footprint: TrainingFootprint;
  /** Of one size; the engine of rollouts is not among them, since it takes a share of its own. */
  readonly models: readonly TrainedModel[];
  /** GPUs of all machines; 0 on the CPU, of which nothing is estimated but the checkpoint. */
  readonly gpus: number;
  readonly rowsPerDevice: number;
  /** Most tokens of a row. */
  readonly rowTokens: number;
  /** Tokens of the whole job. */
  readonly tokens: number;
}

/** Memory of a GPU, hours and size of a checkpoint; each null where nothing is known to work it out from. */
export function estimateJob(input: EstimateInput): Omit<TrainingPlan['estimate'], 'checkpoints'> {
  const { facts, gpus } = input;
  const { parameters } = facts;
  if (parameters === null) return { gpu_memory_gb: null, hours: null, checkpoint_gb: null };
  return {
    gpu_memory_gb: gpus === 0 ? null : rounded(gpuBytes(input, parameters) / 1e9),
    hours: gpus === 0 ? null : rounded(seconds(input, parameters) / 3600),
    checkpoint_gb: rounded(checkpointBytes(input.footprint, parameters) / 1e9),
  };
}

function gpuBytes(input: EstimateInput, parameters: number): number {
  const { gpus, rowsPerDevice, rowTokens } = input;
  const { layers, hiddenSize, vocabularySize } = shapeOf(input.facts, parameters);
  const { sharded } = input.footprint;
  const states = bytesOfModels(input) * parameters;
  const ofState = sharded ? states / gpus : states;
  // The layer at work and the next one, gathered from all GPUs.
  const gathered = sharded ? (2 * 2 * parameters) / layers : 0;
  const tokens = rowsPerDevice * rowTokens;
  const activations =
    tokens * (2 * layers * hiddenSize + LAYER_BYTES * hiddenSize + LOGIT_BYTES * vocabularySize);
  return ofState + gathered + activations + CONTEXT_BYTES;
}

/** Bytes a weight of all models: a critic is trained in full, a reference stays as it is. */
function bytesOfModels({ models, footprint }: EstimateInput): number {
  const bytesOf: Readonly<Record<TrainedModel, number>> = {
    actor: footprint.fullFineTuning ? FULL_BYTES : FROZEN_BYTES,
    critic: FULL_BYTES,
    reference: FROZEN_BYTES,
  };
  return models.reduce((bytes, model) => bytes + bytesOf[model], 0);
}

function shapeOf({ layers, hiddenSize, vocabularySize }: ModelFacts, parameters: number) {
  // 12 x layers x hidden^2 weights, the embedding left aside.
  const usualHidden = ((USUAL_WIDTH_TO_DEPTH * parameters) / 12) ** (1 / 3);
  return {
    layers: layers ?? Math.max(1, usualHidden / USUAL_WIDTH_TO_DEPTH),
    hiddenSize: hiddenSize ?? usualHidden,
    vocabularySize: vocabularySize ?? USUAL_VOCABULARY,
  };
}

/** Six operations a weight and token (Kaplan et al. 2020). */
function seconds({ tokens, gpus }: EstimateInput, parameters: number): number {
  return (6 * parameters * tokens) / (gpus * assumedFlops * assumedUtilisation);
}

/** LoRA's own weights are below a hundredth of the model's. */
function checkpointBytes(
  { fullFineTuning, checkpointBytes: bytesPerWeight }: TrainingFootprint,
  parameters: number,
): number {
  return fullFineTuning ? bytesPerWeight * parameters : 0.01 * parameters * FULL_BYTES;
}

/** Three digits: more would pretend. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
