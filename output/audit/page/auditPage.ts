import { createRequestedFile } from '../../../base/files/requestedFile.ts';
import type { AuditTotals } from '../../../schemas/audit.ts';
import { type Html, html, trusted } from '../../report/html.ts';
import type { RowReport } from '../auditPart.ts';
import type { CheckedRow } from '../rows/checkRow.ts';

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
const MAX_ROWS = 2_000;

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
      if (shown >= MAX_ROWS) {
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

const styles = trusted(`
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1b1b1b; background: #fff; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/1.5 ui-monospace, monospace; border: 1px solid #ccc; padding: .6rem; }
.in { background: #cdebc5; } .out { background: #eee; color: #555; } .wrong { background: #ffb3a7; outline: 1px solid #c0321c; }
section > ul { color: #a3210c; } table { border-collapse: collapse; } td, th { padding: .1rem .8rem .1rem 0; text-align: left; }
`);

/** The beginning of the page. Nothing in it is loaded from elsewhere, and no script may run. */
function pageHead(title: string): string {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Mask audit: ${title}</title><style>${styles}</style></head><body>
<h1>Mask audit: ${title}</h1>
<p><span class="in">in the loss</span> <span class="out">not in the loss</span> <span class="wrong">not as it should be</span></p>
`;
  return page.markup;
}

/** A row's text, shaded by its mask, under what was found in it. */
function rowSection({ file, row, findings, checked }: RowReport): string {
  const section = html`<section><h2>${file}${row === null ? '' : `, row ${row}`}</h2>
${findings.length > 0 && html`<ul>${findings.map((finding) => html`<li>${finding.kind}: ${finding.message}${finding.token !== null && ` (token ${finding.token})`}</li>`)}</ul>`}
${checked && html`<pre>${shadedText(checked)}</pre>`}</section>
`;
  return section.markup;
}

/** The end of the page: the sums. */
function pageFoot(totals: AuditTotals, leftOut: number): string {
  const foot = html`${leftOut > 0 && html`<p>${leftOut} more rows with findings are not shown.</p>`}
<section><h2>Sums</h2><p>Findings: ${totals.findings}. Tokenizer: ${totals.tokenizer}.</p>
${totals.parts.map(
  ({ path, rows, tokens, trained_tokens, by_tag }) => html`<h3>${path}</h3>
<p>${rows} rows, ${tokens} tokens, ${trained_tokens} in the loss</p>
<table><tr><th>tag</th><th>tokens</th><th>in the loss</th></tr>${Object.entries(by_tag).map(
    ([tag, share]) => html`<tr><td>${tag}</td><td>${share.tokens}</td><td>${share.trained}</td></tr>`,
  )}</table>`,
)}</section></body></html>
`;
  return foot.markup;
}

/** Most characters of a row that are shown. */
const MAX_SHOWN = 40_000;

/** Neighbouring tokens of one shade as one stretch. Tokens of one character share its place: the first one shades it. */
function shadedText({ row, trained, spanOfToken }: CheckedRow): Html[] {
  const parts: Html[] = [];
  const { text, starts, ends, ids } = row;
  let from = 0;
  let shade = '';
  const cut = (to: number): void => {
    if (to > from) parts.push(html`<span class="${shade || 'out'}">${text.slice(from, to)}</span>`);
    from = Math.max(from, to);
  };
  for (let token = 0; token < ids.length && from < MAX_SHOWN; token++) {
    const isIn = trained[token] === 1;
    const loss = spanOfToken[token]?.loss ?? 'either';
    const next = loss !== 'either' && (loss === 'in') !== isIn ? 'wrong' : isIn ? 'in' : 'out';
    if (next !== shade) cut(starts[token] ?? from);
    if (from >= (ends[token] ?? 0) && next !== 'wrong') continue;
    shade = next;
  }
  cut(Math.min(text.length, Math.max(from, MAX_SHOWN)));
  if (from < text.length)
    parts.push(html`<span class="out"> ... ${text.length - from} more characters</span>`);
  return parts;
}
