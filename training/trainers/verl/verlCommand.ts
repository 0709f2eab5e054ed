import type { TrainerCommand } from '../../../contract/trainer.ts';
import { hydraOverride } from '../../../output/quoting/hydraOverride.ts';
import type { TrainingPlan } from '../../../schemas/training/trainingPlan.ts';
import { verlTrackerFile } from './verlCheckpoints.ts';
import { verlCheckpointFolder } from './verlKeys.ts';

const metricsFile = 'metrics.jsonl';
const earlierMetricsFile = 'metrics-earlier.jsonl';

/** verl's SFT trainer with its configuration as overrides. */
export function verlCommand(plan: TrainingPlan): TrainerCommand {
  const overrides = Object.entries(plan.hyper_parameters).map(([key, value]) => hydraOverride(key, value));
  return {
    files: [],
    module: 'verl.trainer.sft_trainer',
    args: [...overrides, ...hydraFolder],
    torchrun: true,
    preparation: preparation + keepEpochEnds(plan.steps.per_epoch),
    follow: {
      metricsFile,
      earlierMetricsFile,
      checkpointFolder: verlCheckpointFolder,
    },
  };
}

/** Hydra writes its own log here, and no copy of the configuration. */
const hydraFolder = ['hydra.run.dir=hydra', 'hydra.output_subdir=null'];

const preparation = `# verl empties its log at every start: what is there is kept. Of several machines one does it.
if mv ${metricsFile} "${metricsFile}.$HOSTNAME.$$" 2> /dev/null; then
  awk 1 "${metricsFile}.$HOSTNAME.$$" >> ${earlierMetricsFile}
  rm "${metricsFile}.$HOSTNAME.$$"
fi
export VERL_FILE_LOGGER_PATH="$PWD/${metricsFile}"
`;

/**
 * A checkpoint at an epoch's end holds a data loader that has nothing left, and verl (0.9) would spend the next epoch on
 * it. Without the loader's state it begins that epoch with the rows that are its own.
 */
function keepEpochEnds(stepsAnEpoch: number): string {
  if (stepsAnEpoch === 0) return '';
  return `
# A data loader that was saved at an epoch's end has no rows left, and verl would lose the next epoch to it.
if step="$(cat ${verlCheckpointFolder}/${verlTrackerFile} 2> /dev/null)" && ((step % ${stepsAnEpoch} == 0)); then
  for state in "${verlCheckpointFolder}/global_step_$step"/data_*.pt; do
    # Of several machines one does it.
    if ! mv "$state" "$state.epoch_end" 2> /dev/null && [[ -e "$state" ]]; then
      echo "run.sh: $state can't be moved; see who may write there" >&2
      exit 1
    fi
  done
fi
`;
}
