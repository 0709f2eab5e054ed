import { Command } from 'commander';
import { examples } from '../examples.ts';

/** `coa-distill train stop RUN/JOB`. */
export function trainStopCommand(): Command {
  return new Command('stop')
    .description('End a job and all its processes; its checkpoints stay')
    .argument('<job>', 'RUN/JOB, or RUN where it has one job')
    .addHelpText(
      'after',
      examples([['coa-distill train stop quickstart/sft', 'go on later with train resume']]),
    )
    .action(async (name: string) => {
      const { systemClock } = await import('../../base/systemClock.ts');
      const { lastAttempt } = await import('../../training/jobFolder.ts');
      const { launcherTable } = await import('../../training/launchers/launcherTable.ts');
      const { stopJob } = await import('../../training/stopJob.ts');
      const { findJob } = await import('./findJob.ts');
      const { jobEndLines } = await import('./jobEndLines.ts');
      const found = await findJob(name);
      const control = launcherTable[found.record.plan.launcher].open(systemClock);
      const { record, stopped } = await stopJob(found.folder, control, systemClock);
      const lines = jobEndLines(found.name, lastAttempt(record).end!);
      console.log(stopped ? lines.join('\n') : `nothing to stop: ${lines.join('\n')}`);
    });
}
