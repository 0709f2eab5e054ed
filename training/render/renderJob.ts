import type { RenderedJob, RenderRequest } from '../../contract/launcher.ts';
import type { TrainingPlan } from '../../schemas/training/trainingPlan.ts';
import { launcherTable } from '../launchers/launcherTable.ts';
import { trainerTable } from '../trainers/trainerTable.ts';
import { consoleFile, runScript, runScriptFile } from './runScript.ts';

/**
 * Renders a plan to files that a person could start. Pure; equal plans give equal bytes.
 *
 * @throws UserError for values that no file could represent
 */
export function renderJob(plan: TrainingPlan, request: RenderRequest): RenderedJob {
  const trainer = trainerTable[plan.trainer];
  const launcher = launcherTable[plan.launcher];
  const command = trainer.commandOf(plan);
  const { files, start } = launcher.render(plan, request);
  const script = runScript({
    plan,
    python: request.training.python,
    title: trainer.title,
    command,
  });
  return {
    files: [...command.files, { path: runScriptFile, text: script }, ...files],
    start,
    follow: { ...command.follow, console_file: consoleFile },
  };
}
