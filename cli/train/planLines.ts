import type { JsonValue } from '../../base/json.ts';
import type { GateResult } from '../../contract/trainingGate.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import type { GateVerdict } from '../../training/gates/judgeJob.ts';
import { assumedFlops, assumedUtilisation } from '../../training/plan/estimateJob.ts';
import { formatCount, formatTable } from '../format.ts';

export function planLines(plan: TrainingPlan): string[] {
  const keys = Object.entries(plan.hyper_parameters);
  return [
    ...formatTable(facts(plan)),
    ...(plan.notes.length === 0 ? [] : ['', ...plan.notes.map((note) => `note: ${note}`)]),
    '',
    `What ${plan.trainer} is told:`,
    ...formatTable(keys.map(([key, value]) => [`  ${key}`, shown(value)])),
  ];
}

function facts(plan: TrainingPlan): [string, string][] {
  const { dataset, steps, estimate, preset } = plan;
  const size = plan.model_billion_parameters;
  return [
    ['trainer', `${plan.trainer}, started by ${plan.launcher}`],
    ['model', size === null ? `${plan.model} (size not known)` : `${plan.model} (${billions(size)})`],
    ...(preset === null ? [] : presetFacts(preset)),
    ['dataset', dataset.folder],
    ['rows', rowsText(dataset)],
    [
      plan.rl ? 'prompt tokens' : 'tokens',
      `${formatCount(dataset.tokens)}, ${formatCount(dataset.trained_tokens)} of them trained; rows of up to ${formatCount(dataset.cutoff_len)}`,
    ],
    ['machines', machinesText(plan)],
    ['batch', plan.rl ? rlBatchText(plan, plan.rl) : batchText(plan)],
    ...(plan.rl ? rlFacts(plan, plan.rl) : []),
    ['steps', `${formatCount(steps.total)}, ${formatCount(steps.per_epoch)} an epoch; ${plan.epochs} epochs`],
    [
      'GPU memory',
      orUnknown(plan, estimate.gpu_memory_gb, (gb) => `about ${gb} GB a GPU for the longest row`),
    ],
    // The duration of rollouts is unknown in advance.
    ...(plan.rl ? [] : [['time', orUnknown(plan, estimate.hours, hoursText)] as [string, string]]),
    ['checkpoint', checkpointText(estimate)],
  ];
}

function presetFacts(preset: NonNullable<TrainingPlan['preset']>): [string, string][] {
  const { published_hardware: on, not_published } = preset;
  const published = on === null ? '' : `published on ${on.nodes} x ${on.gpus_per_node} GPUs. `;
  return [
    ['preset', `${preset.name}, from ${preset.source}`],
    ['', published + not_published],
  ];
}

function rowsText({ rows, validation_rows: validation }: TrainingPlan['dataset']): string {
  return validation === 0
    ? formatCount(rows)
    : `${formatCount(rows)}, and ${formatCount(validation)} for validation`;
}

function machinesText({ nodes, gpus_per_node: gpus, processes_per_node: processes }: TrainingPlan): string {
  const device = gpus === 0 ? 'CPU' : `${gpus} GPUs`;
  return `${nodes} x ${device}, ${processes} process${processes === 1 ? '' : 'es'} each`;
}

function billions(size: number): string {
  return size >= 0.1
    ? `${Number(size.toPrecision(3))} billion weights`
    : `${Number((size * 1000).toPrecision(3))} million weights`;
}

function batchText({ batch, nodes, processes_per_node: processes }: TrainingPlan): string {
  const { rows_per_step, rows_per_device, gradient_accumulation_steps } = batch;
  return `${formatCount(rows_per_step)} ${rows_per_step === 1 ? 'row' : 'rows'} a step: ${nodes * processes} (processes) x ${rows_per_device} (rows) x ${gradient_accumulation_steps} (accumulated)`;
}

function rlBatchText({ batch }: TrainingPlan, { rollouts }: RlPlan): string {
  const { rows_per_step: tasks } = batch;
  return `${formatCount(tasks * rollouts)} rollouts a step: ${tasks} (tasks) x ${rollouts} (rollouts of each)`;
}

type RlPlan = NonNullable<TrainingPlan['rl']>;

function rlFacts({ model_billion_parameters: size }: TrainingPlan, rl: RlPlan): [string, string][] {
  const { algorithm, engine, models, tensor_parallel: gpus } = rl;
  return [
    ['algorithm', `${algorithm}; models in memory: ${models.join(', ')}`],
    [
      'rollouts',
      // Two bytes per weight.
      `by ${engine}${size === null ? '' : `, weights of about ${Number(((2 * size) / gpus).toPrecision(3))} GB a GPU`}, ${gpus} GPU${gpus === 1 ? '' : 's'} a copy`,
    ],
    [
      'tokens a step',
      `up to ${formatCount(rl.tokens_per_step)}: prompts of ${formatCount(rl.max_prompt_tokens)}, responses of ${formatCount(rl.max_response_tokens)}`,
    ],
    ['generations', `up to ${rl.max_generations} in a trajectory`],
  ];
}

function hoursText(hours: number): string {
  const time = hours < 1 ? `${Math.ceil(hours * 60)} min` : `${hours} h`;
  return `about ${time} at ${assumedUtilisation * 100}% of ${assumedFlops / 1e12} TFLOP/s a GPU (A100)`;
}

function checkpointText({ checkpoint_gb: gb, checkpoints }: TrainingPlan['estimate']): string {
  return gb === null ? `${checkpoints}, of unknown size` : `${checkpoints} of about ${gb} GB`;
}

function orUnknown(plan: TrainingPlan, value: number | null, text: (value: number) => string): string {
  if (value !== null) return text(value);
  return plan.gpus_per_node === 0 ? 'not estimated on a CPU' : 'unknown, as the size of the model is';
}

function shown(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const words = { pass: 'passed', refuse: 'FAILED', lacks: 'missing here', unchecked: 'not checked' } as const;

export function gateLines(verdicts: readonly GateVerdict[]): string[] {
  return formatTable(
    verdicts.map(({ gate, result }) => [`  ${words[result.kind]}`, gate, messageOf(result)]),
  );
}

/** Gate result for `--json`. */
export function gateJson({ gate, result }: GateVerdict) {
  const verdict = { pass: 'passed', refuse: 'failed', lacks: 'missing_here', unchecked: 'not_checked' }[
    result.kind
  ];
  return { gate, verdict, message: messageOf(result) || null };
}

function messageOf(result: GateResult): string {
  return result.kind === 'pass' ? '' : result.message;
}
