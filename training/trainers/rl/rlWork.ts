import type { StepWork, TrainerLogEntry } from '../../../contract/trainer.ts';
import type { TrainingConfig } from '../../../schemas/config/training.ts';
import type { RlFigures } from '../../../schemas/training/jobRecord.ts';
import type { TrainingPlan } from '../../../schemas/training/trainingPlan.ts';

/** The format whose rows are tasks that are played. */
export const rlFormat = 'verl_rl';

/** The steps of a job, as its section `training.rl` says. */
export function rlWork({ rl }: TrainingConfig, engine: string): StepWork {
  const rowTokens = rl.max_prompt_tokens + rl.max_response_tokens;
  return {
    rowsPerStep: rl.prompts_per_step,
    epochs: rl.epochs,
    maxSteps: rl.steps,
    rowTokens,
    rl: {
      algorithm: rl.algorithm,
      engine,
      rollouts: rl.rollouts,
      max_prompt_tokens: rl.max_prompt_tokens,
      max_response_tokens: rl.max_response_tokens,
      max_generations: rl.max_generations,
      tokens_per_step: rl.prompts_per_step * rl.rollouts * rowTokens,
      models: [
        'actor',
        ...(rl.algorithm === 'ppo' ? (['critic'] as const) : []),
        ...(rl.kl_coefficient > 0 ? (['reference'] as const) : []),
      ],
      tensor_parallel: rl.tensor_parallel,
      gpu_memory_utilization: rl.gpu_memory_utilization,
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

/** An entry of a log whose lines are `{step, data: {name: number}}`; undefined for lines of validation and the like. */
export function rlLogEntry(
  step: number,
  data: Readonly<Record<string, unknown>>,
  ownNames: RlFigureNames,
): TrainerLogEntry | undefined {
  const names = { ...ownNames, ...loopFigures };
  const figure = (name: keyof typeof names): number | null => {
    const value = names[name].map((key) => data[key]).find((found) => found !== undefined);
    return typeof value === 'number' ? value : null;
  };
  const hasReward = names.reward.some((key) => key in data);
  if (!hasReward) return undefined;
  return {
    step,
    loss: figure('loss'),
    learningRate: figure('learningRate'),
    validationLoss: null,
    totalSteps: null,
    elapsedMs: null,
    rl: {
      reward: figure('reward'),
      pass_rate: figure('pass_rate'),
      entropy: figure('entropy'),
      kl: figure('kl'),
      length: figure('length'),
      calls: figure('calls'),
      failed: figure('failed'),
      unscored: figure('unscored'),
      mixed_groups: figure('mixed_groups'),
    },
  };
}

/**
 * Lines of bash in front of a job: the address of the environment server comes from the shell that starts it, the loop's
 * files from the dataset, and the server is asked from the very machine before anything costs GPU time.
 *
 * @param folder of the dataset's RL files, as the job sees it, as a word of the shell
 */
export function rlPreparation(folder: string, { rl }: Pick<TrainingPlan, 'rl'>): string {
  const limit = rl?.max_generations ?? null;
  return `: "\${COA_RL_URL:?start the environment with coa-distill serve rl, and set COA_RL_URL to its address}"
export PYTHONPATH=${folder}"\${PYTHONPATH:+:$PYTHONPATH}" COA_RL_FAILURES="$PWD/${failuresFile}"
"$python" ${folder}/coa_check.py --ping${limit === null ? '' : ` --max-generations ${limit}`}
`;
}

/** What each failed rollout died of. */
export const failuresFile = 'failures.jsonl';
/** Folder of what was played, a file a step. */
export const rolloutsFolder = 'rollouts';
