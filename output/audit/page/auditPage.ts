import { createRequestedFile } from '../../../base/files/requestedFile.ts';
import { sha256Hex } from '../../../base/ids.ts';
import type { AuditedPart, AuditTotals } from '../../../schemas/audit.ts';
import { type Html, html, trusted } from '../../report/html.ts';
import type { RowReport } from '../auditPart.ts';
import { partsThatAgree } from '../auditTally.ts';
import type { CheckedRow } from '../rows/checkRow.ts';

/** A page that is written row by row, beside its final name. */
export interface AuditPage {
  /** Shows the row if it is one of the first, or has findings; a text that is shown already is only named. */
  add(report: RowReport): Promise<void>;
  /** Adds the index and the sums, and gives the page its name. */
  finish(totals: AuditTotals): Promise<void>;
  /** Removes what was written; does nothing after `finish`. */
  abort(): Promise<void>;
}

/** Rows of each file that are shown whatever is found in them. */
const FIRST_ROWS = 20;
/** A page of more rows than this opens in no browser. */
const MAX_ROWS = 2_000;

/** A section of the page, for its index. */
interface ShownRow {
  readonly id: string;
  readonly kinds: readonly string[];
  /** Where the row stands: in the file that it was read from first, and in others with the same text and mask. */
  readonly places: string[];
}

/**
 * Begins the page.
 *
 * @throws UserError when it can't be written
 */
export async function openAuditPage(path: string, title: string): Promise<AuditPage> {
  const file = await createRequestedFile(path, '--html');
  await file.write(pageHead(title));
  const shown: ShownRow[] = [];
  /** By a hash of the text and its shades. */
  const shownTexts = new Map<string, ShownRow>();
  let leftOut = 0;
  return {
    async add(report) {
      const { findings, checked } = report;
      if (findings.length === 0 && (report.row === null || report.row > FIRST_ROWS)) return;
      const text = checked && html`<pre>${shadedText(checked)}</pre>`.markup;
      const digest = text && sha256Hex(text);
      const same = digest === undefined ? undefined : shownTexts.get(digest);
      if (same && findings.length === 0) {
        same.places.push(placeOf(report));
        return;
      }
      if (shown.length >= MAX_ROWS) {
        leftOut += 1;
        return;
      }
      const kinds = [...new Set(findings.map(({ kind }) => kind))];
      const row: ShownRow = { id: `row-${shown.length + 1}`, kinds, places: [placeOf(report)] };
      shown.push(row);
      if (digest !== undefined && !same) shownTexts.set(digest, row);
      await file.write(rowSection(report, row.id, same ? sameText(same) : trusted(text ?? '')));
    },
    async finish(totals) {
      await file.write(pageFoot(totals, shown, leftOut));
      await file.commit();
    },
    abort: () => file.discard(),
  };
}

function placeOf({ file, row, side }: RowReport): string {
  return row === null ? file : `${file}, row ${row}${side ? `, ${side}` : ''}`;
}

const styles = trusted(`
:root { color-scheme: light dark; --ink: #1b1b1b; --page: #fff; --line: #ccc; --soft: #555; --in: #cdebc5; --out: #eee; --wrong: #ffb3a7; --edge: #c0321c; --bad: #a3210c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7e6e2; --page: #14171a; --line: #3a4047; --soft: #a3abb5; --in: #1d4b2f; --out: #23272b; --wrong: #7a2a20; --edge: #ff938c; --bad: #ff938c; }
}
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 86rem; padding: 0 1rem; color: var(--ink); background: var(--page); display: grid; grid-template-columns: 18rem minmax(0, 1fr); gap: 0 2rem; }
body > * { grid-column: 2; } h1, h1 + p { grid-column: 1 / -1; } a { color: inherit; }
nav { grid-column: 1; grid-row: 3 / span 9999; } nav ol { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow: auto; margin: 0; padding: 0; list-style: none; font-size: 12px; overflow-wrap: anywhere; }
nav li { margin-bottom: .6rem; } nav small { display: block; color: var(--soft); }
@media (max-width: 60rem) { body { display: block; } nav ol { position: static; max-height: none; } }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 12px/1.5 ui-monospace, monospace; border: 1px solid var(--line); padding: .6rem; }
.in { background: var(--in); } .out { background: var(--out); color: var(--soft); } .wrong { background: var(--wrong); outline: 1px solid var(--edge); }
section > ul, .kinds { color: var(--bad); } table { border-collapse: collapse; } td, th { padding: .1rem .8rem .1rem 0; text-align: left; }
`);

/** The beginning of the page. Nothing in it is loaded from elsewhere, and no script may run. */
function pageHead(title: string): string {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Mask audit: ${title}</title><style>${styles}</style></head><body>
<h1>Mask audit: ${title}</h1>
<p><span class="in">in the loss</span> <span class="out">not in the loss</span> <span class="wrong">not as it should be</span> · <a href="#sums">sums</a></p>
`;
  return page.markup;
}

function sameText({ id, places }: ShownRow): Html {
  return html`<p>The same text and mask as in <a href="#${id}">${places[0]}</a>.</p>`;
}

/** A row's text under what was found in it. */
function rowSection(report: RowReport, id: string, text: Html): string {
  const { findings } = report;
  const section = html`<section id="${id}"><h2>${placeOf(report)}</h2>
${findings.length > 0 && html`<ul>${findings.map((finding) => html`<li>${finding.kind}: ${finding.message}${finding.token !== null && ` (token ${finding.token})`}</li>`)}</ul>`}
${text}</section>
`;
  return section.markup;
}

/** The end of the page: the sums, once for formats that agree, and the index, which the style sheet puts at the side. */
function pageFoot(totals: AuditTotals, shown: readonly ShownRow[], leftOut: number): string {
  const foot = html`${leftOut > 0 && html`<p>${leftOut} more rows with findings are not shown.</p>`}
<section id="sums"><h2>Sums</h2><p>Findings: ${totals.findings}. Tokenizer: ${totals.tokenizer}.</p>
${partsThatAgree(totals.parts).map(partSums)}</section>
<nav aria-label="Rows"><ol>${shown.map(indexEntry)}</ol></nav></body></html>
`;
  return foot.markup;
}

function partSums(parts: readonly AuditedPart[]): Html {
  const { rows, tokens, trained_tokens, by_tag } = parts[0]!;
  return html`${parts.map(({ path }) => html`<h3>${path}</h3>`)}
<p>${rows} rows, ${tokens} tokens, ${trained_tokens} in the loss${parts.length > 1 && ' (each)'}</p>
<table><tr><th>tag</th><th>tokens</th><th>in the loss</th></tr>${Object.entries(by_tag).map(
    ([tag, share]) => html`<tr><td>${tag}</td><td>${share.tokens}</td><td>${share.trained}</td></tr>`,
  )}</table>`;
}

function indexEntry({ id, kinds, places: [first, ...others] }: ShownRow): Html {
  return html`<li><a href="#${id}">${first}</a>${kinds.length > 0 && html` <span class="kinds">${kinds.join(', ')}</span>`}${others.map((place) => html`<small>${place}</small>`)}</li>
`;
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
