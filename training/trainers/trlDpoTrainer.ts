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
  keptCheckpoints,
  loadProgramOf,
  pairColumns,
  stepLineOf,
  trainingArguments,
} from './huggingFace.ts';
import { llamaFactoryDpoTrainer } from './llamaFactory/llamaFactoryDpoTrainer.ts';
import { argumentForm, refusals, refusedFor, trainingArgumentsSetElsewhere } from './refusedKeys.ts';

const format = 'hugging_face_dpo';
/** TRL in the versions whose trainers' methods and keys are those that we use. */
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

/** TRL's DPO by the program of the dataset, which hands TRL the ids and masks of both sides of each pair. */
export const trlDpoTrainer: Trainer = {
  ...llamaFactoryDpoTrainer,
  name: 'trl-dpo',
  title: "TRL's DPO",
  format,
  rowFiles: `${format}/data/`,
  tested: testedTrl,
  settings,
  argumentsProgram: `
def known_arguments(keys):
    import dataclasses

    from trl import DPOConfig, ModelConfig, ScriptArguments

    return sorted(field.name for form in (ScriptArguments, DPOConfig, ModelConfig) for field in dataclasses.fields(form))
`,
  keysOf,
  footprintOf: trlFootprint,
  commandOf,
  logEntryOf,
  loadProgram: loadProgramOf(`load_dataset(path("${format}/data"))`, pairColumns),
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
    // No side is longer than its model takes; the default of TRL would cut rows at 1024 tokens.
    max_length: null,
    gradient_checkpointing: gpusPerNode > 0,
    ...training.set,
  };
}

const program = `"""TRL's DPO by the dataset's train_dpo.py, with its figures in ${metricsFile}, resumed from the newest whole checkpoint."""

import json
import math
from pathlib import Path

import train_dpo
import trl
from transformers import TrainerCallback
from trl.scripts import dpo


class Metrics(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if not state.is_world_process_zero:
            return
        figures = {key: value for key, value in (logs or {}).items() if isinstance(value, (int, float))}
        data = {key: value if math.isfinite(value) else None for key, value in figures.items()}
        line = {"step": state.global_step, "total_steps": state.max_steps, "data": data}
        with open("${metricsFile}", "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\\n")


def newest_checkpoint(folder):
    """The last one that was saved to its end: trainer_state.json is written last."""
    whole = [path.parent for path in Path(folder).glob("checkpoint-*/trainer_state.json")]
    return max(whole, key=lambda path: int(path.name.rpartition("-")[2]), default=None)


class JobTrainer(train_dpo.MaskedTrainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.add_callback(Metrics())

    def train(self):
        newest = newest_checkpoint(self.args.output_dir)
        return super().train(resume_from_checkpoint=str(newest) if newest else None)


if __name__ == "__main__":
    train_dpo.check_batches()
    trl.DPOTrainer = JobTrainer
    dpo.main(*dpo.make_parser().parse_args_and_config(fail_with_unknown_args=False))
`;

function commandOf(plan: TrainingPlan): TrainerCommand {
  const { gpus_per_node: gpus, nodes, processes_per_node: processes } = plan;
  return {
    files: [
      { path: configFile, text: renderYaml(plan.hyper_parameters) },
      { path: `${programModule}.py`, text: program },
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
