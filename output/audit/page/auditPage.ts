import { createRequestedFile } from '../../../base/files/requestedFile.ts';
import type { AuditTotals } from '../../../schemas/audit.ts';
import type { RowReport } from '../auditPart.ts';
import { pageFoot, pageHead, rowSection } from './renderPage.ts';

/** A page that is written row by row, beside its final name. */
export interface AuditPage {
  /** Shows the row if it is one of the first, or has findings. */
  add(report: RowReport): Promise<void>;
  /** Adds the sums and gives the page its name. */
  finish(totals: AuditTotals): Promise<void>;
  /** Removes what was written; does nothing after `finish`. */
  abort(): Promise<void>;
}

/** Rows of each file that are shown whatever is found in them. */
const firstRows = 20;
/** A page of more rows than this opens in no browser. */
const mostRows = 2_000;

/**
 * Begins the page.
 *
 * @throws UserError when it can't be written
 */
export async function openAuditPage(path: string, title: string): Promise<AuditPage> {
  const file = await createRequestedFile(path, '--html');
  await file.write(pageHead(title));
  let shown = 0;
  let leftOut = 0;
  return {
    async add(report) {
      if (report.findings.length === 0 && (report.row === null || report.row > firstRows)) return;
      if (shown >= mostRows) {
        leftOut += 1;
        return;
      }
      shown += 1;
      await file.write(rowSection(report));
    },
    async finish(totals) {
      await file.write(pageFoot(totals, leftOut));
      await file.commit();
    },
    abort: () => file.discard(),
  };
}
