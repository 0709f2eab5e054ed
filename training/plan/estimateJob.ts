import type { TrainingFootprint } from '../../contract/trainer.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';

/** Model size for estimates; null if neither its folder nor its name tells. */
export interface ModelFacts {
  /** Total number of weights. */
  readonly parameters: number | null;
  readonly layers: number | null;
  readonly hiddenSize: number | null;
  /** Rows of the embedding. */
  readonly vocabularySize: number | null;
}

/**
 * Reads the size from a model's name: `Qwen2.5-7B-Instruct` has 7 billion weights. Mixtures (`8x7B`) give none, since
 * their experts share weights.
 */
export function modelFactsOfName(name: string): ModelFacts {
  const last = name.split('/').at(-1)!;
  const size = /(?:^|[-_ ])(\d+(?:\.\d+)?)b(?![a-z])/i.exec(last);
  const parameters = size ? Number(size[1]) * 1e9 : null;
  return { parameters: parameters || null, layers: null, hiddenSize: null, vocabularySize: null };
}

/** Peak of an A100's bfloat16 matrix units in operations per second, assumed for estimates. */
export const assumedFlops = 312e12;
/** Assumed utilisation of the peak, without counting recomputation. */
export const assumedUtilisation = 0.35;

/** Bytes per weight in full fine-tuning: 2 + 2 for weight and gradient, 4 + 4 + 4 for Adam's copy and moments. */
const FULL_BYTES = 16;
/** Bytes per frozen bfloat16 weight, as of the base model in LoRA. */
const FROZEN_BYTES = 2;
/** Bytes of CUDA's context with NCCL's buffers. */
const CONTEXT_BYTES = 2e9;
/** Bytes per token and hidden unit of the single recomputed layer (Korthikanti et al. 2022, without scores). */
const LAYER_BYTES = 34;
/** Bytes per token and vocabulary entry: bfloat16 logits, their float32 copy and its gradient. */
const LOGIT_BYTES = 10;
/** Typical hidden size / layers, and embedding rows, for models of which only the number of weights is known. */
const USUAL_WIDTH_TO_DEPTH = 128;
const USUAL_VOCABULARY = 152_000;

export type TrainedModel = NonNullable<TrainingPlan['rl']>['models'][number];

interface EstimateInput {
  readonly facts: ModelFacts;
  readonly footprint: TrainingFootprint;
  /** Models of one size, without the rollout engine, which has its own share of memory. */
  readonly models: readonly TrainedModel[];
  /** GPUs of all machines; 0 for the CPU, for which only the checkpoint is estimated. */
  readonly gpus: number;
  readonly rowsPerDevice: number;
  /** Maximum tokens of a row. */
  readonly rowTokens: number;
  /** Tokens of the whole job. */
  readonly tokens: number;
}

/** Estimates memory per GPU, hours and size of a checkpoint; null for unknown values. */
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
  // The current and the next layer, gathered from all GPUs.
  const gathered = sharded ? (2 * 2 * parameters) / layers : 0;
  const tokens = rowsPerDevice * rowTokens;
  const activations =
    tokens * (2 * layers * hiddenSize + LAYER_BYTES * hiddenSize + LOGIT_BYTES * vocabularySize);
  return ofState + gathered + activations + CONTEXT_BYTES;
}

/** Bytes per weight over all models: a critic is trained in full, a reference is frozen. */
function bytesOfModels({ models, footprint }: EstimateInput): number {
  const bytesOf: Readonly<Record<TrainedModel, number>> = {
    actor: footprint.fullFineTuning ? FULL_BYTES : FROZEN_BYTES,
    critic: FULL_BYTES,
    reference: FROZEN_BYTES,
  };
  return models.reduce((bytes, model) => bytes + bytesOf[model], 0);
}

function shapeOf({ layers, hiddenSize, vocabularySize }: ModelFacts, parameters: number) {
  // 12 x layers x hidden^2 weights, without the embedding.
  const usualHidden = ((USUAL_WIDTH_TO_DEPTH * parameters) / 12) ** (1 / 3);
  return {
    layers: layers ?? Math.max(1, usualHidden / USUAL_WIDTH_TO_DEPTH),
    hiddenSize: hiddenSize ?? usualHidden,
    vocabularySize: vocabularySize ?? USUAL_VOCABULARY,
  };
}

/** Six operations per weight and token (Kaplan et al. 2020). */
function seconds({ tokens, gpus }: EstimateInput, parameters: number): number {
  return (6 * parameters * tokens) / (gpus * assumedFlops * assumedUtilisation);
}

/** LoRA's own weights are less than 1% of the model's. */
function checkpointBytes(
  { fullFineTuning, checkpointBytes: bytesPerWeight }: TrainingFootprint,
  parameters: number,
): number {
  return fullFineTuning ? bytesPerWeight * parameters : 0.01 * parameters * FULL_BYTES;
}

/** Rounds to three digits, the precision of an estimate. */
function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
