import type { RenderedJob, RenderRequest } from '../../contract/launcher.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { launcherTable } from '../launchers/launcherTable.ts';
import { trainerTable } from '../trainers/trainerTable.ts';
import { jobReadme } from './jobReadme.ts';
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
