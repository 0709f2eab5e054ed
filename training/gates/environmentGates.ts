import { type Judge, pass, refuse, unchecked } from '../../contract/trainingGate.ts';

/** Gates on the server that plays the tasks of reinforcement learning. */
export const environmentGates = {
  /** It answers, and has the job's limits: as many generations, and no fewer tokens of a response. */
  environment({ plan: { rl }, environment }) {
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
    if (steps !== generations) {
      return refuse(
        `${server} ends a trajectory after ${steps} generations, and the job's limit is ${generations}: start the server with --preset or training.rl.max_generations: ${generations}, or train with --set rl.max_generations=${steps}`,
      );
    }
    if (tokens >= most) return pass;
    return refuse(
      `${server} ends a response after ${tokens} tokens, the trainer after ${most}: give both the same limit`,
    );
  },

  /** Something gives a verdict. */
  reward({ environment, trainer }) {
    if (!environment?.url || environment.problem !== null)
      return unchecked('the reward: no environment server answers');
    if (trainer?.loaded?.firstTask === undefined)
      return unchecked('the reward: no task could be read from here to ask with');
    const { judgeProblem } = environment;
    return judgeProblem === null
      ? pass
      : refuse(`the environment server gives no verdict on a probe (${judgeProblem}); see to its judge`);
  },
} satisfies Record<string, Judge>;
