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

/** The format whose rows are tasks that are played. */
export const rlFormat = 'verl_rl';

/** What a trainer's own keys say of a job. */
interface OwnKeys {
  readonly engine: string;
  /** GPUs per copy of the engine. */
  readonly tensor_parallel: number;
  /** Whether the frozen first weights are kept in memory, for a KL term. */
  readonly hasReference: boolean;
}

/** The steps of a job. */
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

/** What the rollout loop of coa-distill has logged, by the same names whatever the trainer. */
const loopFigures = {
  pass_rate: ['coa/part_correctness'],
  calls: ['coa/calls'],
  failed: ['coa/failed'],
  unscored: ['coa/unscored'],
  mixed_groups: ['coa/mixed_groups'],
} as const;

/** Names under which a trainer itself logs a step; the first that is there counts. */
export type RlFigureNames = Readonly<
  Record<Exclude<keyof RlFigures, keyof typeof loopFigures> | 'loss' | 'learningRate', readonly string[]>
>;

/** An entry of a log of such lines; undefined for lines of validation and the like. */
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
 * Lines of bash in front of a job: the address of the environment server comes from the shell that starts it, the loop's
 * files from the dataset, and the server is asked from the very machine before anything costs GPU time.
 *
 * @param folder of the dataset's RL files, as the job sees it, as a word of the shell
 */
export function rlPreparation(folder: string, { rl }: Pick<TrainingPlan, 'rl'>): string {
  return `: "\${COA_RL_URL:?start the environment with coa-distill serve rl, and set COA_RL_URL to its address}"
export PYTHONPATH=${folder}"\${PYTHONPATH:+:$PYTHONPATH}" COA_RL_FAILURES="$PWD/${failuresFile}"
"$python" ${folder}/coa_check.py ${rl!.max_generations}
`;
}

/** What each failed rollout died of. */
export const failuresFile = 'failures.jsonl';
/** Folder of what was played, a file a step. */
export const rolloutsFolder = 'rollouts';

/** What torch prints when a training fails, and before all else what rollouts do: they say what was wrong. */
const rlFailures: FailureSigns = {
  ...torchFailures,
  printed: [
    ['rollouts_failed', /rollouts (?:failed|got no verdict) \(limit|environment server can't be used/],
    ...torchFailures.printed,
  ],
};

/** Trainers of reinforcement learning take no step with fewer tasks than they are told. */
function wholeSteps({ rows, rowsPerDevice }: EpochWork): EpochSteps {
  const steps = Math.floor(rows / rowsPerDevice);
  return { steps, rowsLeftOut: rows - steps * rowsPerDevice };
}

/** What every trainer of tasks that are played has in common. */
export const rlTrainer = {
  method: 'rl',
  format: rlFormat,
  epochOf: wholeSteps,
  failures: rlFailures,
  environmentFacts,
} as const;
