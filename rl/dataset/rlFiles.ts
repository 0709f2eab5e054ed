import { readFileSync } from 'node:fs';
import type { JsonValue } from '../../base/json.ts';
import { shellWord } from '../../base/shellWord.ts';
import type { FormatGuide, FormatSettings, WrittenFormat } from '../../output/dataset/datasetFormat.ts';
import { hydraOverride } from '../../output/quoting/hydraOverride.ts';
import { renderYaml } from '../../output/quoting/renderYaml.ts';
import { trainingConfigSchema } from '../../schemas/config/training.ts';
import { type RlHyperParameters, rlFigures } from '../../schemas/training/rlPresets.ts';

/** Agent loop in the column `agent_name` of `verl_rl` rows. */
const coaAgentName = 'coa_agent';

/** Python files of RL datasets with descriptions, copied from beside this file. */
const programs = {
  'coa_loop.py': 'one rollout, trainer-independent: tokens, masks, requests to the environment server',
  'coa_agent_loop.py': "the loop as verl's `AgentLoopBase`",
  'coa_sampler.py': "verl's replay buffer, which stops the job when too many rollouts fail",
  'coa_reward.py': "verl's reward function: hands on the server's score",
  'trl_grpo.py': "the loop as TRL's `rollout_func`, with a program that trains on one GPU",
  'coa_check.py': "asks the environment server from a job's machine before it starts",
} as const;

export type RlProgram = keyof typeof programs | 'coa_verifiers.py' | 'coa_renderer.py';

function rlProgramPath(name: RlProgram): URL {
  return new URL(name, import.meta.url);
}

export function rlProgram(name: RlProgram): string {
  return readFileSync(rlProgramPath(name), 'utf8');
}

/** `agent.yaml`, for `actor_rollout_ref.rollout.agent.agent_loop_config_path`; the loop has default settings. */
export const agentYaml = renderYaml([{ name: coaAgentName, _target_: 'coa_agent_loop.CoaAgentLoop' }]);

type LoopSettings = Pick<RlHyperParameters, 'algorithm' | 'rollouts' | 'prompts_per_step'>;

/**
 * Keys of verl (0.9) that make it use coa-distill's loop, independent of hyper-parameters.
 *
 * @param folder folder of the Python files in the trainer's file system; must be on PYTHONPATH of every machine
 */
export function verlLoopKeys(folder: string, rl: LoopSettings): Record<string, JsonValue> {
  // DAPO replaces groups whose rewards are all equal.
  const filterGroups = rl.algorithm === 'dapo';
  return {
    'actor_rollout_ref.rollout.n': rl.rollouts,
    'actor_rollout_ref.rollout.agent.default_agent_loop': coaAgentName,
    'actor_rollout_ref.rollout.agent.agent_loop_config_path': `${folder}/agent.yaml`,
    // SGLang does not support stop texts by default.
    'actor_rollout_ref.rollout.skip_tokenizer_init': false,
    'reward.custom_reward_function.path': `${folder}/coa_reward.py`,
    'reward.custom_reward_function.name': 'compute_score',
    'algorithm.filter_groups.enable': filterGroups,
    'trainer.use_v1': true,
    'trainer.v1.trainer_mode': 'sync',
    // Replaces a group without any trajectory by another task.
    'trainer.v1.sampler.sync_refill_failed_groups': true,
    'trainer.v1.sampler.custom_sampler.path': `${folder}/coa_sampler.py`,
    'trainer.v1.sampler.custom_sampler.name': 'CoaReplayBuffer',
    ...prefixed('+trainer.v1.sampler.sampler_kwargs.', {
      rollouts: rl.rollouts,
      // verl does not pass these to a custom buffer.
      filter_groups_metric: filterGroups ? 'reward' : null,
      sync_refill_failed_groups: true,
      train_batch_size: rl.prompts_per_step,
      gen_batch_size: 1,
      max_inflight_gen_batches: filterGroups ? 2 : 1,
    }),
  };
}

function prefixed(prefix: string, keys: Record<string, JsonValue>): Record<string, JsonValue> {
  return Object.fromEntries(Object.entries(keys).map(([key, value]) => [prefix + key, value]));
}

const rowsFolder = 'verl_rl';

/** Files beside the rows of `verl_rl` (loop, configuration, script), and its README. */
export function rlGuide({ training }: Pick<FormatSettings, 'training'>, written: WrittenFormat): FormatGuide {
  const loop = Object.entries(programs) as [RlProgram, string][];
  const file = (name: string, text: string, what: string) => ({ path: `${rowsFolder}/${name}`, text, what });
  return {
    files: [
      ...loop.map(([name, what]) => file(name, rlProgram(name), what)),
      file('agent.yaml', agentYaml, 'names the loop to verl, with its settings'),
      file(
        'train.sh',
        trainScript(training.model, written),
        'starts GRPO with verl on the GPUs of one machine',
      ),
    ],
    ...guide,
  };
}

/** `train.sh`: GRPO on one machine; `coa-distill train --method rl` plans jobs with presets and launchers. */
function trainScript(model: string, { files }: WrittenFormat): string {
  const namesOf = (split: string): string[] =>
    files.filter((file) => file.split === split).map(({ path }) => path.slice(path.lastIndexOf('/') + 1));
  const train = namesOf('train');
  const validation = namesOf('validation');
  const rows = files.reduce((sum, file) => sum + (file.split === 'train' ? file.rows : 0), 0);
  const rl = rlFigures(trainingConfigSchema.parse({}));
  const { max_prompt_tokens: prompt, max_response_tokens: response } = rl;
  const promptsPerStep = Math.max(1, Math.min(rl.prompts_per_step, rows));
  const keys = {
    'algorithm.adv_estimator': 'grpo',
    'data.train_files': train,
    'data.val_files': validation.length === 0 ? train : validation,
    'data.train_batch_size': promptsPerStep,
    'data.max_prompt_length': prompt,
    'data.max_response_length': response,
    'data.truncation': 'error',
    'actor_rollout_ref.model.path': model,
    'actor_rollout_ref.actor.optim.lr': rl.learning_rate,
    'actor_rollout_ref.actor.ppo_mini_batch_size': promptsPerStep,
    'actor_rollout_ref.actor.use_dynamic_bsz': true,
    'actor_rollout_ref.actor.ppo_max_token_len_per_gpu': prompt + response,
    'actor_rollout_ref.rollout.name': 'vllm',
    'trainer.logger': ['console', 'file'],
    'trainer.project_name': 'coa-distill',
    'trainer.experiment_name': 'rl',
    'trainer.nnodes': 1,
    'trainer.val_before_train': false,
    'trainer.test_freq': -1,
    'trainer.save_freq': 10,
    ...verlLoopKeys('.', { ...rl, prompts_per_step: promptsPerStep }),
  };
  const lines = Object.entries(keys).map(([key, value]) => `  ${shellWord(hydraOverride(key, value))} \\`);
  return `#!/usr/bin/env bash
# GRPO with verl (0.9) on the tasks of this folder. Tools, judging and rewards are the environment server's.
# Usage: COA_RL_URL=http://HOST:PORT bash train.sh [KEY=VALUE ...]   further keys of verl's configuration
# Environment: COA_RL_URL, where coa-distill serve rl listens; COA_RL_TOKEN, where it wants one; GPUS, how many to use
# (default: all of this machine); OUTPUT, folder of checkpoints, logs and rollouts.
set -euo pipefail
cd "$(dirname "\${BASH_SOURCE[0]}")"

: "\${COA_RL_URL:?start the environment with coa-distill serve rl, and set COA_RL_URL to its address}"
gpus="\${GPUS:-$(nvidia-smi --list-gpus 2> /dev/null | grep -c '^GPU ' || true)}"
if ((gpus == 0)); then
  echo "train.sh: no GPU was found; set GPUS to how many to use" >&2
  exit 1
fi
output="\${OUTPUT:-output}"
mkdir -p "$output"
output="$(cd "$output" && pwd)"
export PYTHONPATH="$PWD\${PYTHONPATH:+:$PYTHONPATH}" COA_RL_FAILURES="$output/failures.jsonl"
export VERL_FILE_LOGGER_PATH="\${VERL_FILE_LOGGER_PATH:-$output/metrics.jsonl}"

# Started again, it goes on from the newest checkpoint.
exec python3 -m verl.trainer.main_ppo \\
${lines.join('\n')}
  trainer.n_gpus_per_node="$gpus" trainer.default_local_dir="$output/checkpoints" \\
  +trainer.v1.sampler.sampler_kwargs.rollouts_folder="$output/rollouts" \\
  "$@"
`;
}

const guide: Omit<FormatGuide, 'files'> = {
  others: { 'ledger.jsonl': 'what became of every task, and why' },
  start: `\`\`\`bash
coa-distill serve rl RUN          # tools, judge and rewards; prints its address
COA_RL_URL=http://127.0.0.1:PORT bash train.sh actor_rollout_ref.model.path=MODEL
\`\`\`

On one GPU, with TRL: \`COA_RL_URL=... python trl_grpo.py --model MODEL --tasks train.parquet --output_dir out\`. With
presets, checks and launchers: \`coa-distill train RUN --method rl\`.`,
  beware: [
    'A prompt longer than `data.max_prompt_length` is filtered by verl: set it to `training.rl.max_prompt_tokens`, which no prompt here exceeds; `data.max_response_length` is at most `training.rl.max_response_tokens`.',
    '`ground_truth` is for readers, and for rewards of your own: it has no tests of programs. The environment server has all of it.',
    'This folder has to be on PYTHONPATH of every machine (`train.sh` sees to it on one).',
    'A rollout that fails after retries, or gets no verdict, is left out of its group, never counted as wrong. More than 10% of a step (50% without a verdict) end the job.',
    "Don't decorate `CoaAgentLoop` with verl's `@register`: importing it would replace the entry of `agent.yaml`, settings and all.",
  ],
};
