import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealedFile } from '../../../base/journal/sealed.ts';
import type { EvaluationFile, Scores } from '../../../evaluation/records/evaluationFile.ts';
import type { TaskResult } from '../../../evaluation/records/sampleResult.ts';
import type { PlayedRollout } from '../../../rl/records/playedRollout.ts';
import { startCli } from '../../cli/support/runCli.ts';
import { sampleRecord } from '../../training/support/sampleJob.ts';

const estimate = { value: 0.5, low: 0.1, high: 0.9 };

function scoresOf(text: string): Scores {
  return {
    tasks: 3,
    scored_tasks: 2,
    samples: { right: 1, wrong: 1, unscored: 1 },
    reasons: { [text]: 1 },
    score: estimate,
    bounds: { low: 0.3, high: 0.7 },
    pass_at: { 1: estimate, 2: estimate },
    pass_power: { 2: { value: 0.2, low: null, high: null } },
    majority: null,
    best_of_n: null,
    completion_tokens: null,
    tool_calls: null,
    completion_tokens_per_right: null,
    cost_usd_per_right: null,
    cost_usd: 0.5,
  };
}

const quickstart = new URL('../../../examples/quickstart.yaml', import.meta.url).pathname;

/** The command line that makes the run of the quickstart in a folder. */
export function quickstartArgs(folder: string, ...more: readonly string[]): string[] {
  return ['run', quickstart, '--quiet', '--set', `runs_dir=${join(folder, 'runs')}`, ...more];
}

/** Makes that run with a training job, and beside it an evaluation. */
export async function writeQuickstart(folder: string): Promise<void> {
  await once(startCli(quickstartArgs(folder), { cwd: folder }), 'exit');
  writeJob(join(folder, 'runs/quickstart'), 'step 2 of 24');
  writeEvaluation(join(folder, 'runs/evaluation'), 'one answer');
}

/** Writes a finished evaluation of one benchmark, `mine`, whose texts all are one. */
export function writeEvaluation(folder: string, text: string): void {
  const file: EvaluationFile = {
    format_version: 1,
    name: 'evaluation',
    coa_distill_version: '0.0.0',
    player: { backend: text, model: text },
    benchmarks: [
      {
        name: 'mine',
        run: 'mine',
        config_hash: 'hash',
        samples_per_task: 1,
        left_out: {},
        too_many_unscored: false,
        all: scoresOf(text),
        groups: { [text]: scoresOf(text) },
        double_check: [],
        reflections: null,
        repeated_tool_inputs: null,
        grammar: { kept: 1, broken: 1 },
        incidents: { [text]: { samples: 1, times: 2 } },
        use_by_role: { player: { calls: 4, prompt_tokens: 900, completion_tokens: 200, cost_usd: 0.25 } },
      },
    ],
  };
  mkdirSync(join(folder, 'results'), { recursive: true });
  writeFileSync(join(folder, 'evaluation.json'), JSON.stringify(file));
  const tasks = (['right', 'wrong', 'unscored'] as const).map((result) => taskOf(result, text));
  const lines = [...tasks, taskOf('wrong', text)].map((task) => `${JSON.stringify(task)}\n`);
  writeFileSync(join(folder, 'results/mine.jsonl'), lines.join(''));
}

function taskOf(result: 'right' | 'wrong' | 'unscored', text: string): TaskResult {
  const reason = result === 'unscored' ? ('pending' as const) : null;
  const answer = result === 'unscored' ? null : text;
  const figures = { use: null, double_check: null, reflections: null, repeated_tool_inputs: null };
  const sample = { task_id: `task_${result}`, sample: 0, result, reason, score: null, answer, ...figures };
  return { task_id: sample.task_id, question: text, answers: [text], samples: [sample] };
}

/** Writes a training job of a run that failed after the steps of these losses and printed a text. */
export function writeJob(runFolder: string, text: string, job = 'sft', losses = [2.5, 1.5]): void {
  const folder = join(runFolder, 'train', job);
  const end = { outcome: 'failed', exit_code: 1, cause: 'gpu_out_of_memory', last_words: text } as const;
  const attempt = {
    handle: { kind: 'process' },
    started_at: '2026-11-22T00:00:00Z',
    from_step: 0,
    console_offset: 0,
    set_aside: [],
    stop_requested: false,
    end,
  };
  mkdirSync(join(folder, 'output/checkpoint-2'), { recursive: true });
  mkdirSync(join(folder, 'rollouts'));
  writeFileSync(join(folder, 'job.json'), sealedFile(sampleRecord({ job, attempts: [attempt] })));
  const logged = losses.map((loss, at) => ({
    current_steps: at + 1,
    total_steps: 24,
    loss,
    lr: 1e-5,
    elapsed_time: new Date(10_000 * (at + 1)).toISOString().slice(11, 19),
  }));
  const lines = logged.map((entry) => `${JSON.stringify(entry)}\n`);
  writeFileSync(join(folder, 'output/trainer_log.jsonl'), lines.join(''));
  writeFileSync(join(folder, 'console.log'), text);
  const segments = (['model', 'environment', 'model'] as const).map((origin) => ({ origin, text }));
  const parts = { correctness: 1, format: null };
  const rollout: PlayedRollout = { step: 2, task_id: 'task_1', segments, score: 1, parts, end: 'answer' };
  const played = [rollout, { text }].map((line) => `${JSON.stringify(line)}\n`);
  writeFileSync(join(folder, 'rollouts/2.jsonl'), played.join(''));
}
