import { Command } from '../command.ts';

export function reportCommand(): Command {
  return new Command('report')
    .argument('<run>', 'name under runs/, or the run folder')
    .option('--json', 'print what the report shows as JSON, and write nothing')
    .examples(['coa-distill report quickstart', 'writes runs/quickstart/report.html'])
    .action(async (name: string, options: { json?: true }) => {
      const { join, relative } = await import('node:path');
      const { findRun } = await import('../../operations/findRun.ts');
      const { gatherReport } = await import('../../operations/report/gatherReport.ts');
      const { folder, run } = await findRun(name);
      const data = await gatherReport(folder, run);
      if (options.json) {
        console.log(JSON.stringify(data));
        return;
      }
      const { renderReport } = await import('../../output/report/renderReport.ts');
      const { replaceFile } = await import('../../base/files/atomicFile.ts');
      const path = join(folder, 'report.html');
      await replaceFile(path, renderReport(data));
      console.log(relative(process.cwd(), path));
    });
}
