import { isJsonObject } from '../base/json.ts';
import { UserError } from '../base/userError.ts';
import { gatherReport } from '../operations/report/gatherReport.ts';
import type { RunResult } from '../pipeline/executeRun.ts';
import { runWord } from '../pipeline/run/findRun.ts';
import { readRunFile } from '../pipeline/run/runFile.ts';
import { stageRecords } from '../pipeline/run/stageInputs.ts';
import { spendingText } from '../schemas/run/spending.ts';
import { taskSchema } from '../schemas/task.ts';
import { print } from './outputMode.ts';
import { runnable } from './programCommand.ts';
import { recordText, shownRecords } from './showFromCommandLine.ts';
import { funnelLines } from './summary.ts';

/**
 * Rejects a preview that would replace another run.
 *
 * @param folder of the run
 * @param tasks of the preview
 * @throws UserError unless the folder is free or holds a preview of the same size
 */
export async function refusePreviewOfRun(folder: string, tasks: number): Promise<void> {
  const run = await readRunFile(folder);
  const before = run?.shaping.tasks;
  if (!run || (isJsonObject(before) && before.limit === tasks)) return;
  throw new UserError(
    `--preview: ${folder} holds a run already; preview into another one with --name, or see its rows with: coa-distill show ${runWord(folder)}`,
  );
}

/** Prints a preview's full records, and the command to continue. */
export async function printPreview({ folder, run }: RunResult, goOn: string): Promise<void> {
  for await (const { record } of stageRecords(folder, 'tasks', taskSchema)) {
    for (const shown of await shownRecords(folder, run, record.id)) await print(`${recordText(shown)}\n\n`);
  }
  const { funnel, spent } = await gatherReport(folder, run);
  const paid = spendingText(spent);
  const lines = [
    ...funnelLines(funnel),
    ...(paid === undefined ? [] : [`spent: ${paid}`]),
    '',
    `Next, without paying for these again: ${goOn}`,
  ];
  console.log(runnable(lines.join('\n')));
}
