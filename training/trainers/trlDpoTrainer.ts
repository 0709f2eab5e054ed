import { readFileSync } from 'node:fs';
import type { JsonValue } from '../../base/json.ts';
import { shellWord } from '../../base/shellWord.ts';
import type {
  JobSettings,
  SettingRules,
  Trainer,
  TrainerCommand,
  TrainerLogEntry,
  TrainingFootprint,
} from '../../contract/trainer.ts';
import { datasetReaders } from '../../output/dataset/datasetReaders.ts';
import { DPO_BETA } from '../../output/dataset/formats/llamaFactoryConfig.ts';
import { renderYaml } from '../../output/quoting/renderYaml.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import {
  figureOf,
  huggingFaceOutput,
  idsProbe,
  keptCheckpoints,
  pairColumns,
  stepLineOf,
  trainingArguments,
} from './huggingFace.ts';
import { llamaFactoryDpoTrainer } from './llamaFactory/llamaFactoryDpoTrainer.ts';
import { argumentForm, refusals, refusedFor, trainingArgumentsSetElsewhere } from './refusedKeys.ts';

const format = 'hugging_face_dpo';
/** TRL versions with the trainer methods and keys in use. */
export const testedTrl = {
  package: datasetReaders.trl.package,
  version: datasetReaders.trl.version,
  below: '1.13.0',
};
const configFile = 'dpo.yaml';
const programModule = 'dpo_job';
const metricsFile = 'metrics.jsonl';

const settings: SettingRules = {
  schedulers: ['cosine', 'constant', 'linear'],
  wholeEpochs: false,
  modelKey: 'model_name_or_path',
  keyForm: argumentForm,
  expectedKey: "a key of TRL's DPOConfig, such as loss_type",
  refusedKeys: {
    ...refusedFor(
      refusals.rows,
      'dataset_name dataset_config dataset_train_split dataset_test_split dataset_streaming datasets streaming',
      'columns remove_unused_columns pad_token padding_free truncation_mode',
    ),
    max_length: refusals.length,
    ...refusedFor(
      refusals.folder,
      'output_dir logging_dir logging_steps logging_strategy logging_nan_inf_filter run_name',
    ),
    ...refusedFor(refusals.resume, 'resume_from_checkpoint'),
    ...refusedFor(refusals.steps, 'dataloader_drop_last accelerator_config'),
    ...trainingArgumentsSetElsewhere,
  },
};

/** TRL's DPO through the dataset's program, which passes ids and masks of both sides of each pair. */
export const trlDpoTrainer: Trainer = {
  ...llamaFactoryDpoTrainer,
  name: 'trl-dpo',
  title: "TRL's DPO",
  format,
  rowFiles: `${format}/data/`,
  tested: testedTrl,
  settings,
  probe: { keys_of: 'trl_dpo_keys', ...idsProbe(`${format}/data`, false, pairColumns) },
  keysOf,
  footprintOf: trlFootprint,
  commandOf,
  logEntryOf,
};

/** TRL saves float32 weights and two moments. */
export function trlFootprint(keys: Readonly<Record<string, JsonValue>>): TrainingFootprint {
  const savesOptimizer = keys.save_only_model !== true;
  return {
    fullFineTuning: keys.use_peft !== true,
    sharded: false,
    checkpointBytes: savesOptimizer ? 4 + 8 : 4,
    savesOptimizer,
    maxCheckpoints: keptCheckpoints(keys),
  };
}

function keysOf(settings: JobSettings): Record<string, JsonValue> {
  const { training, dataset, files, gpusPerNode } = settings;
  return {
    ...trainingArguments(settings),
    dataset_name: `${dataset}/${format}/data`,
    ...(files.validationRows > 0 && { dataset_test_split: 'validation' }),
    beta: DPO_BETA,
    // Disables TRL's default limit, which would cut rows at 1024 tokens.
    max_length: null,
    gradient_checkpointing: gpusPerNode > 0,
    ...training.set,
  };
}

function commandOf(plan: TrainingPlan): TrainerCommand {
  const { gpus_per_node: gpus, nodes, processes_per_node: processes } = plan;
  return {
    files: [
      { path: configFile, text: renderYaml(plan.hyper_parameters) },
      { path: `${programModule}.py`, text: readFileSync(new URL('dpo_job.py', import.meta.url), 'utf8') },
    ],
    module: programModule,
    args: ['--config', configFile],
    torchrun: gpus > 1 || nodes * processes > 1,
    preparation: `export PYTHONPATH="$PWD":${shellWord(`${plan.dataset.folder}/${format}`)}"\${PYTHONPATH:+:$PYTHONPATH}"\n`,
    follow: { metrics_file: metricsFile, earlier_metrics_file: null, checkpoint_folder: huggingFaceOutput },
  };
}

/** The last line of a training has neither loss. */
function logEntryOf(json: unknown): TrainerLogEntry | undefined {
  const line = stepLineOf(json);
  if (!line || !('loss' in line.data || 'eval_loss' in line.data)) return undefined;
  const { loss, learning_rate, eval_loss } = line.data;
  return {
    step: line.step,
    ...(loss !== undefined && { loss: figureOf(loss) }),
    learningRate: figureOf(learning_rate),
    validationLoss: figureOf(eval_loss),
    totalSteps: line.totalSteps,
    elapsedMs: null,
  };
}
