import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JsonValue, parseJson } from '../../../base/json.ts';
import { shellWord } from '../../../base/shellWord.ts';
import { hydraOverride } from '../../../output/quoting/hydraOverride.ts';
import type { ScriptedRlServer } from './rlServer.ts';
import { type PythonResult, pythonScript, runPython, tryPython } from './runPython.ts';

/** Folder of the Python files that stand beside RL rows. */
export const rlPrograms = fileURLToPath(new URL('../../../rl/dataset/', import.meta.url));

/** Writes rows as `verl_rl` has them, of tasks that the scripted server knows. */
export async function writeRlRows(file: string, tasks: number): Promise<void> {
  const rows = Array.from({ length: tasks }, (_, n) => ({
    data_source: 'atlas',
    agent_name: 'coa_agent',
    ability: 'mhqa',
    prompt: [{ role: 'user', content: `Question: What is the capital of island ${n}?` }],
    reward_model: { style: 'rule', ground_truth: 'Tarn' },
    extra_info: { index: `atlas-${n}`, profile: 'mhqa' },
  }));
  const json = `${file}.json`;
  await writeFile(json, JSON.stringify(rows));
  const program =
    'import json, sys, pyarrow, pyarrow.parquet as p; p.write_table(pyarrow.Table.from_pylist(json.load(open(sys.argv[1]))), sys.argv[2])';
  await runPython({ environment: 'trainers', args: ['-c', program, json, file], folder: path.dirname(file) });
}

/** What every process of a job is started with. */
export function rlEnvironment(server: ScriptedRlServer, folder: string): Record<string, string> {
  return {
    PYTHONPATH: `${rlPrograms}:${pythonScript('')}`,
    COA_RL_URL: server.url,
    COA_RL_TOKEN: server.token,
    COA_RL_FAILURES: path.join(folder, 'failures.jsonl'),
  };
}

/** Environment of verl on a CPU, with the scripted engine. */
export function verlCpuEnvironment(scripts: string): Record<string, string> {
  return {
    VERL_USE_EXTERNAL_MODULES: 'verl_cpu_rollout',
    VERL_PLATFORM: 'cpu',
    VERL_ENGINE_DEVICE: 'cuda',
    SCRIPTED_TURNS: scripts,
    // Ray starts with no more GPUs than this names, whether they are there or not.
    CUDA_VISIBLE_DEVICES: '0',
    // A loaded machine starts Ray's processes slowly.
    RAY_raylet_start_wait_time_s: '300',
    RAY_memory_monitor_refresh_ms: '0',
    HYDRA_FULL_ERROR: '1',
  };
}

/** Keys of verl on a CPU, where the scripted engine stands for vLLM. */
export function verlCpuKeys(model: string): Record<string, JsonValue> {
  return {
    'trainer.device': 'cpu',
    'trainer.n_gpus_per_node': 1,
    'trainer.nnodes': 1,
    'data.dataloader_num_workers': 0,
    'actor_rollout_ref.model.path': model,
    '+actor_rollout_ref.model.override_config.attn_implementation': 'sdpa',
    'actor_rollout_ref.actor.strategy': 'fsdp2',
    'actor_rollout_ref.actor.use_torch_compile': false,
    'actor_rollout_ref.actor.fsdp_config.use_torch_compile': false,
    '+actor_rollout_ref.actor.fsdp_config.mixed_precision': {
      param_dtype: 'fp32',
      reduce_dtype: 'fp32',
      buffer_dtype: 'fp32',
    },
    'actor_rollout_ref.rollout.name': 'scripted_cpu',
    'actor_rollout_ref.rollout.tensor_model_parallel_size': 1,
    'actor_rollout_ref.rollout.free_cache_engine': false,
    'actor_rollout_ref.rollout.load_format': 'auto',
    'actor_rollout_ref.rollout.agent.num_workers': 1,
    'reward.num_workers': 1,
    'transfer_queue.backend.SimpleStorage.num_data_storage_units': 1,
    'ray_kwargs.ray_init.num_cpus': 6,
    '+ray_kwargs.ray_init.num_gpus': 1,
    '+ray_kwargs.ray_init.include_dashboard': false,
  };
}

/** A step as verl's file logger writes it. */
export type VerlStep = Readonly<Record<string, number>>;

/** A job that ended, one way or the other. */
export interface VerlJob extends PythonResult {
  readonly steps: readonly VerlStep[];
}

/** Runs verl's own trainer with these keys. */
export async function runVerl(
  folder: string,
  keys: Readonly<Record<string, JsonValue>>,
  env: Readonly<Record<string, string>>,
): Promise<VerlJob> {
  const metrics = path.join(folder, 'metrics.jsonl');
  const args = Object.entries(keys).map(([key, value]) => hydraOverride(key, value));
  await writeFile(path.join(folder, 'command.txt'), args.map(shellWord).join('\n'));
  const result = await tryPython({
    environment: 'trainers',
    args: ['-m', 'verl.trainer.main_ppo', ...args],
    folder,
    env: { ...env, VERL_FILE_LOGGER_PATH: metrics },
  });
  const lines = existsSync(metrics) ? readFileSync(metrics, 'utf8').trimEnd().split('\n') : [];
  return { ...result, steps: lines.map((line) => (parseJson(line) as { data: VerlStep }).data) };
}
