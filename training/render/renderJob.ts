import type {
  JobFile,
  Launcher,
  RenderedJob,
  RenderRequest,
  StartCommand,
  TrainerOutput,
} from '../../contract/launcher.ts';
import type { Trainer, TrainingMethod } from '../../contract/trainer.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { launcherTable } from '../launchers/launcherTable.ts';
import { trainerTable } from '../trainers/trainerTable.ts';
import { consoleFile, runScript, runScriptFile } from './runScript.ts';

/**
 * A plan as files that a person could start. Pure; equal plans give equal bytes.
 *
 * @throws UserError for values that no file could hold so that they are read back
 */
export function renderJob(plan: TrainingPlan, request: RenderRequest): RenderedJob {
  const trainer = trainerTable[plan.trainer];
  const launcher = launcherTable[plan.launcher];
  const command = trainer.commandOf(plan);
  const { files: launcherFiles, start } = launcher.render(plan, request);
  const script = runScript({
    plan,
    python: request.training.python,
    title: trainer.title,
    command,
    rendezvous: launcher.rendezvous?.(request.training),
  });
  const files = [
    ...command.files,
    { path: runScriptFile, text: script, about: 'starts the trainer on one machine' },
    ...launcherFiles,
  ];
  const readme = jobReadme({ plan, trainer, launcher, files, start, follow: command.follow });
  return {
    files: [...files, { path: 'README.txt', text: readme, about: 'this text' }],
    start,
    follow: { ...command.follow, consoleFile },
  };
}

interface ReadmeOptions {
  readonly plan: TrainingPlan;
  readonly trainer: Trainer;
  readonly launcher: Launcher;
  readonly files: readonly JobFile[];
  readonly start: StartCommand;
  readonly follow: TrainerOutput;
}

const methods: Readonly<Record<TrainingMethod, string>> = {
  sft: 'Supervised fine-tuning',
  preference: 'Preference training',
  rl: 'Reinforcement learning',
};

/** `README.txt` of a job: what it trains, how to start it by hand, what its files are. */
function jobReadme({ plan, trainer, launcher, files, start, follow }: ReadmeOptions): string {
  const { dataset, batch, steps } = plan;
  const machines =
    launcher.startedOnEachMachine && plan.nodes > 1 ? `, on each of ${plan.nodes} machines` : '';
  const described = files.map(({ path, about }) => `  ${path.padEnd(22)} ${about}`);
  return `${methods[trainer.method]} with ${trainer.title}

Model    ${plan.model}
Data     ${dataset.rows} rows, ${dataset.tokens} tokens, ${dataset.trained_tokens} of them trained
         manifest.json of the dataset has the SHA-256 ${dataset.manifest_sha256}
Steps    ${steps.total}, ${steps.per_epoch} an epoch, ${batch.rows_per_step} rows each
Start    ${start.argv.join(' ')}   in this folder${machines}; started again it goes on from the newest checkpoint

${described.join('\n')}
  ${follow.metricsFile.padEnd(22)} the trainer's log, once it runs
  ${`${follow.checkpointFolder}/`.padEnd(22)} checkpoints, once it runs

The tokens fit models with the dataset's tokenizer only. Environment text (tool observations) is in the rows and never
in the loss. Keys of trackers are read from the environment and stand in none of these files.
`;
}
