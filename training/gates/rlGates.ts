import type { Trainer } from '../../contract/trainer.ts';
import type { TrainingGate } from '../../contract/trainingGate.ts';
import { launcherTable } from '../launchers/launcherTable.ts';
import { pass, refuse, unchecked } from './gateResults.ts';
import { modelGate, tokenizerGate } from './modelGates.ts';
import { auditGate, datasetGate, diskGate, folderGate, gpuGate, rowsGate } from './sftGates.ts';
import { argumentGate, rowCountGate, trainerGate } from './trainerGates.ts';

/** What gates say in a trainer's own words. */
interface RlGatedTrainer extends Pick<Trainer, 'title' | 'tested' | 'settings' | 'arguments'> {
  /** `KEY=1` that keeps a single checkpoint. */
  readonly keepOneCheckpoint: string;
}

/** The gates of reinforcement learning on tasks that are played. What others build on comes first. */
export function rlGates(trainer: RlGatedTrainer): readonly TrainingGate[] {
  return [
    rowsGate,
    stepGate,
    argumentGate(trainer),
    gpuGate,
    machinesGate,
    folderGate,
    datasetGate,
    auditGate,
    modelGate(trainer.title, null),
    tokenizerGate,
    trainerGate(trainer.tested),
    rowCountGate,
    lengthGate,
    environmentGate,
    judgeGate,
    diskGate(trainer.keepOneCheckpoint),
  ];
}

/** A step takes no more tasks than there are. */
const stepGate: TrainingGate = {
  name: 'tasks a step',
  judge({ plan: { batch, dataset, steps } }) {
    if (dataset.rows >= batch.rows_per_step && steps.total > 0) return pass;
    return refuse(
      `a step takes ${batch.rows_per_step} tasks, and the dataset has ${dataset.rows}: lower training.rl.prompts_per_step, or choose more tasks`,
    );
  },
};

/** Several machines are a Ray cluster, which the trainer finds. */
const machinesGate: TrainingGate = {
  name: 'machines',
  judge: ({ plan: { nodes, launcher } }) =>
    nodes === 1 || launcherTable[launcher].hasRay
      ? pass
      : refuse(
          `${nodes} machines have to be one Ray cluster: start Ray on them, and submit the job with --launcher ray`,
        ),
};

/** No prompt is longer than the trainer takes, and the model has positions for it and the response. */
const lengthGate: TrainingGate = {
  name: 'lengths',
  judge({ plan: { rl, model: name }, trainer, model }) {
    const longest = trainer?.loaded?.longest ?? 0;
    const { max_prompt_tokens: most, max_response_tokens: response } = rl!;
    if (longest > most) {
      return refuse(
        `a prompt has ${longest} tokens, and training.rl.max_prompt_tokens is ${most}: raise it, or leave such tasks out`,
      );
    }
    const positions = model?.maxPositions ?? null;
    if (positions !== null && most + response > positions) {
      return refuse(
        `prompt and response take up to ${most + response} tokens (training.rl.max_prompt_tokens + max_response_tokens), and ${name} has ${positions} positions: lower one of them`,
      );
    }
    return longest === 0
      ? unchecked("the prompts' lengths: the model's tokenizer is not on this machine")
      : pass;
  },
};

/** The environment server answers, and has the job's limits: as many generations, and no fewer tokens of a response. */
const environmentGate: TrainingGate = {
  name: 'environment',
  judge({ plan: { rl }, environment }) {
    if (!environment || environment.url === null) {
      return refuse(
        'nothing says where tasks are played: start coa-distill serve rl RUN, and set COA_RL_URL to its address',
      );
    }
    const { url, problem, limits } = environment;
    const server = `the environment server at ${url}`;
    if (problem !== null) return refuse(`${server}: ${problem}; see coa-distill serve rl`);
    const { max_steps: steps, max_response_tokens: tokens } = limits!;
    const { max_generations: generations, max_response_tokens: most } = rl!;
    if (generations !== null && steps !== generations) {
      return refuse(
        `${server} ends a trajectory after ${steps} generations (rl.limits.max_steps), and the job's limit is ${generations}: start it with --preset or rl.limits.max_steps: ${generations}, or train with --set rl.max_generations=${steps}`,
      );
    }
    if (tokens >= most) return pass;
    return refuse(
      `${server} ends a response after ${tokens} tokens, the trainer after ${most}: give both the same limit`,
    );
  },
};

/** Something gives a verdict. */
const judgeGate: TrainingGate = {
  name: 'reward',
  judge({ environment, trainer }) {
    if (!environment?.url || environment.problem !== null)
      return unchecked('the reward: no environment server answers');
    if (trainer?.loaded?.firstTask === undefined)
      return unchecked('the reward: no task could be read from here to ask with');
    const { judgeProblem } = environment;
    return judgeProblem === null
      ? pass
      : refuse(`the environment server gives no verdict on a probe (${judgeProblem}); see to its judge`);
  },
};
