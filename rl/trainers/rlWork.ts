import type {
  EpochSteps,
  EpochWork,
  FailureSigns,
  StepWork,
  TrainerLogEntry,
} from '../../contract/trainer.ts';
import type { RlFigures } from '../../schemas/training/jobRecord.ts';
import type { RlHyperParameters } from '../../schemas/training/rlPresets.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { figureOf, stepLineOf } from '../../training/trainers/huggingFace.ts';
import { torchFailures } from '../../training/trainers/torchFailures.ts';
import { environmentFacts } from './environmentFacts.ts';

/** Format with reinforcement learning tasks. */
export const rlFormat = 'verl_rl';

/** Job facts from a trainer's own keys. */
interface OwnKeys {
  readonly engine: string;
  /** GPUs per copy of the engine. */
  readonly tensor_parallel: number;
  /** True if the frozen initial weights are kept in memory for a KL term. */
  readonly hasReference: boolean;
}

export function rlWork(rl: RlHyperParameters, { hasReference, ...engine }: OwnKeys): StepWork {
  const rowTokens = rl.max_prompt_tokens + rl.max_response_tokens;
  return {
    rowsPerStep: rl.prompts_per_step,
    epochs: rl.epochs,
    maxSteps: rl.steps,
    rowTokens,
    rl: {
      algorithm: rl.algorithm,
      ...engine,
      rollouts: rl.rollouts,
      max_prompt_tokens: rl.max_prompt_tokens,
      max_response_tokens: rl.max_response_tokens,
      max_generations: rl.max_generations,
      tokens_per_step: rl.prompts_per_step * rl.rollouts * rowTokens,
      models: [
        'actor',
        ...(rl.algorithm === 'ppo' ? (['critic'] as const) : []),
        ...(hasReference ? (['reference'] as const) : []),
      ],
    },
  };
}

/** Figures logged by coa-distill's rollout loop, with the same names for all trainers. */
const loopFigures = {
  pass_rate: ['coa/part_correctness'],
  calls: ['coa/calls'],
  failed: ['coa/failed'],
  unscored: ['coa/unscored'],
  mixed_groups: ['coa/mixed_groups'],
} as const;

/** Names in the trainer's own log; the first existing one counts. */
export type RlFigureNames = Readonly<
  Record<Exclude<keyof RlFigures, keyof typeof loopFigures> | 'loss' | 'learningRate', readonly string[]>
>;

/** Parses a log entry of such lines; undefined for other lines, such as validations. */
export function rlLogEntry(json: unknown, ownNames: RlFigureNames): TrainerLogEntry | undefined {
  const line = stepLineOf(json);
  if (!line?.data || !ownNames.reward.some((key) => key in line.data)) return undefined;
  const read = Object.entries({ ...ownNames, ...loopFigures }).map(([name, keys]) => {
    const key = keys.find((one) => line.data[one] !== undefined);
    return [name, key === undefined ? null : figureOf(line.data[key])] as const;
  });
  const { loss, learningRate, ...rl } = Object.fromEntries(read) as Record<
    keyof RlFigureNames,
    number | null
  >;
  return {
    step: line.step,
    loss,
    learningRate,
    validationLoss: null,
    totalSteps: null,
    elapsedMs: null,
    rl: rl as RlFigures,
  };
}

/**
 * Bash lines before a job: take the address of the environment server from the starting shell and the loop's files from
 * the dataset, and test the server from this machine before using GPU time.
 *
 * @param folder of the dataset's RL files, as the job sees it, as a word of the shell
 */
export function rlPreparation(folder: string, { rl }: Pick<TrainingPlan, 'rl'>): string {
  return `: "\${COA_RL_URL:?start the environment with coa-distill serve rl, and set COA_RL_URL to its address}"
export PYTHONPATH=${folder}"\${PYTHONPATH:+:$PYTHONPATH}" COA_RL_FAILURES="$PWD/${failuresFile}"
"$python" ${folder}/coa_check.py ${rl!.max_generations}
`;
}

/** Causes of failed rollouts. */
export const failuresFile = 'failures.jsonl';
/** Folder of rollouts, one file per step. */
export const rolloutsFolder = 'rollouts';

/** Failure output of rollouts, which names the cause, followed by that of torch. */
const rlFailures: FailureSigns = {
  ...torchFailures,
  printed: [
    ['rollouts_failed', /rollouts (?:failed|got no verdict) \(limit|environment server can't be used/],
    ...torchFailures.printed,
  ],
};

/** RL trainers make no step with fewer tasks than configured. */
function wholeSteps({ rows, rowsPerDevice }: EpochWork): EpochSteps {
  const steps = Math.floor(rows / rowsPerDevice);
  return { steps, rowsLeftOut: rows - steps * rowsPerDevice };
}

export const rlTrainer = {
  method: 'rl',
  format: rlFormat,
  epochOf: wholeSteps,
  failures: rlFailures,
  environmentFacts,
} as const;
