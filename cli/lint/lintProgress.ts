import { printable } from '../../base/printable.ts';
import type { DatasetFile } from '../../output/lint/read/findDatasetFiles.ts';
import { formatBytes, formatCount } from '../format.ts';
import { LiveView } from '../liveView.ts';

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
  // Findings are written to the terminal as well.
  view = new LiveView(undefined, process.stderr, false),
): LintProgress {
  return {
    row(file, { row, bytesRead }) {
      stop.throwIfAborted();
      if (!view.isDue()) return;
      const percent = Math.floor((bytesRead / file.bytes) * 100);
      const line = `${file.path}: ${percent} % (${formatBytes(bytesRead)} of ${formatBytes(file.bytes)}), ${formatCount(row)} rows`;
      view.show([printable(line)]);
    },
    note: (line) => view.note(printable(line)),
  };
}
