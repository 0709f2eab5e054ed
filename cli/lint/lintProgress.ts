import type { Clock } from '../../base/clock.ts';
import { printable } from '../../base/printable.ts';
import { systemClock } from '../../base/systemClock.ts';
import type { DatasetFile } from '../../output/lint/read/findDatasetFiles.ts';
import { formatBytes, formatCount } from '../format.ts';

/** Time between two lines about one file. */
const everyMs = 3_000;

/** Tells on stderr how far a long file is. */
export interface LintProgress {
  /** Called for each row; says something every few seconds, and throws once the user has asked to stop. */
  row(file: DatasetFile, at: { readonly row: number; readonly bytesRead: number }): void;
  /** Says something at once. */
  note(line: string): void;
}

/** Progress for people who wait, or have waited long enough. */
export function createLintProgress(
  stop: AbortSignal,
  clock: Pick<Clock, 'monotonicMs'> = systemClock,
  write: (text: string) => void = (text) => process.stderr.write(text),
): LintProgress {
  let last = clock.monotonicMs();
  const note = (line: string): void => write(`${printable(line)}\n`);
  return {
    row(file, { row, bytesRead }) {
      stop.throwIfAborted();
      const now = clock.monotonicMs();
      if (now - last < everyMs) return;
      last = now;
      const percent = Math.floor((bytesRead / file.bytes) * 100);
      note(
        `${file.path}: ${percent} % (${formatBytes(bytesRead)} of ${formatBytes(file.bytes)}), ${formatCount(row)} rows`,
      );
    },
    note,
  };
}
