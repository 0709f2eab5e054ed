import { join } from 'node:path';
import { readFileFrom } from '../../base/files/readFileFrom.ts';
import { printable } from '../../base/printable.ts';
import { systemClock } from '../../base/systemClock.ts';
import { plainConsole } from '../../training/causes/crashCause.ts';
import { followJob } from '../../training/followJob.ts';
import { lastAttempt } from '../../training/jobFolder.ts';
import { launcherTable } from '../../training/launchers/launcherTable.ts';
import { runnable } from '../programCommand.ts';
import { findJob } from './findJob.ts';
import { detachOnSignals } from './followToEnd.ts';

/** How much of an ended or running job is printed at once. */
const TAIL_BYTES = 64 * 1024;

/**
 * Prints what a job printed: the end of it, or with `follow` what comes too, until the job ends. As plain text, since
 * what a trainer prints may hold anything; the file itself keeps every byte.
 */
export async function printJobLogs(name: string, { follow }: { readonly follow?: true }): Promise<void> {
  const job = await findJob(name);
  const { folder, record } = job;
  if (!follow || lastAttempt(record).end) {
    const { bytes } = await readFileFrom(join(folder, record.follow.console_file), 0, TAIL_BYTES);
    print(bytes.toString('utf8'));
    return;
  }
  // What was printed of a line that has not ended.
  let torn = '';
  using detach = detachOnSignals(job.name, (line) => console.error(runnable(line)));
  try {
    await followJob(folder, record, {
      control: launcherTable[record.plan.launcher].open(systemClock),
      clock: systemClock,
      observer: {
        printed(text) {
          const lines = (torn + text).split('\n');
          torn = lines.pop()!;
          print(lines.join('\n'));
        },
      },
      signal: detach.signal,
    });
  } finally {
    print(torn);
  }
}

function print(text: string): void {
  for (const line of plainConsole(text)) console.log(line.split('\t').map(printable).join('\t'));
}
