import { count, dollars, words } from '../../base/figures.ts';
import { quoteShellWord } from '../../base/shellWord.ts';
import { sum } from '../../base/sum.ts';
import type { ReportData, ReportSample, RoleUse, ToolUse } from '../../schemas/report.ts';
import type { Segment } from '../../schemas/trajectory.ts';
import { share } from './figures.ts';
import { type Html, html } from './html.ts';

/** Characters shown of one text: a page that was read whole would bury the rest. */
const MAX_CHARACTERS = 20_000;

/** The kept trajectories, what is trained told apart from what is not. */
export function trajectoriesSection({ samples, rows, run }: ReportData): Html {
  if (samples.length === 0) {
    return html`<section><h2>Trajectories</h2><p class="empty">No trajectory was kept.</p></section>`;
  }
  return html`<section>
<h2>Trajectories</h2>
<p class="note">${shownOf(samples.length, sum(rows.map((own) => own.rows)))} Each with its tokens and how it came about: <code>coa-distill view ${quoteShellWord(run)} --open</code></p>
<p class="legend"><span><i class="swatch model"></i>written by the model: trained, unless it says otherwise</span><span><i class="swatch environment"></i>came from the environment: never trained</span><span><i class="swatch prompt"></i>prompt: never trained</span></p>
${samples.map((sample, at) => trajectory(sample, at === 0))}
</section>`;
}

function shownOf(shown: number, all: number): string {
  return shown < all ? `${count(shown)} of ${count(all)} rows.` : `All ${count(all)} rows.`;
}

function trajectory(sample: ReportSample, open: boolean): Html {
  const { id, profile, question, answers } = sample.trajectory;
  return html`<details class="trajectory"${open && html` open`}><summary><span class="chip">${profile}</span> <span class="question">${question}</span></summary>
<p class="note">${answers.length > 0 && html`Gold answer: <b>${answers.join(' | ')}</b> · `}<code>${id}</code></p>
${segmentBlocks(sample, MAX_CHARACTERS)}
</details>
`;
}

/**
 * A trajectory's prompts and segments, what is trained told apart from what is not.
 *
 * @param most characters shown of each
 */
export function segmentBlocks({ trajectory, weights }: ReportSample, most: number): Html {
  const { system, user, segments } = trajectory;
  const prompt = (name: string, text: string) =>
    block({ look: 'prompt', name, note: 'not trained', text }, most);
  return html`<div class="segments">
${prompt('system', system)}${prompt('user', user)}${segments.map((segment, at) => block(segmentText(segment, weights[at]), most))}</div>`;
}

function segmentText({ origin, tag, text }: Segment, weight: number | undefined): BlockText {
  const look = origin === 'model' && !weight ? 'model untrained' : origin;
  return { look, name: tag, note: trainingNote(weight), text };
}

/** Whether a segment is in the loss, in words; one without a weight is not in the row at all. */
function trainingNote(weight: number | undefined): string {
  if (weight === undefined) return 'cut off';
  if (weight === 0) return 'not trained';
  return weight === 1 ? 'trained' : `trained, weight ${weight}`;
}

interface BlockText {
  /** Class names. */
  readonly look: string;
  readonly name: string;
  readonly note: string;
  readonly text: string;
}

function block({ look, name, note, text }: BlockText, most: number): Html {
  const shown = text.slice(0, most);
  const rest = text.length - shown.length;
  return html`<div class="segment ${look}"><span class="tag">${name}<small>${note}</small></span><pre tabindex="0" aria-label="${name}, ${note}">${shown}${rest > 0 && html`<em>… ${count(rest)} more characters</em>`}</pre></div>
`;
}

/** What each role of the teacher used. */
export function rolesSection(roles: readonly RoleUse[]): Html {
  if (roles.length === 0)
    return html`<section><h2>Cost</h2><p class="empty">No model was called.</p></section>`;
  const total = {
    role: 'all roles',
    calls: sum(roles.map((role) => role.calls)),
    prompt_tokens: sum(roles.map((role) => role.prompt_tokens)),
    completion_tokens: sum(roles.map((role) => role.completion_tokens)),
    cost_usd: sum(roles.map((role) => role.cost_usd)),
  };
  const free = total.cost_usd === 0;
  return html`<section>
<h2>Cost</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Cost by role"><table>
<thead><tr><th scope="col">Role</th><th scope="col" class="number">Calls</th><th scope="col" class="number">Prompt tokens</th><th scope="col" class="number">Completion tokens</th><th scope="col" class="number">Cost</th><th scope="col" class="wide">${free ? 'Share of tokens' : 'Share of cost'}</th></tr></thead>
<tbody>
${roles.map((role) => roleRow(role, free ? tokens(role) / (tokens(total) || 1) : role.cost_usd / total.cost_usd))}
</tbody>
<tfoot>${roleRow(total, undefined)}</tfoot>
</table></div>
${free && html`<p class="note">No price is configured for the endpoint, so cost is zero.</p>`}
</section>`;
}

/** How many requests brought no answer and were sent again, by cause; nothing where there was none. */
export function retriesNote(retries: ReportData['retries']): Html | undefined {
  const causes = Object.entries(retries);
  if (causes.length === 0) return undefined;
  const total = sum(Object.values(retries));
  const told = causes.map(([cause, times]) => `${count(times)} ${words(cause)}`).join(', ');
  return html`<p class="note retries">${count(total)} requests were sent again: ${told}.</p>`;
}

function tokens(role: RoleUse): number {
  return role.prompt_tokens + role.completion_tokens;
}

function roleRow(role: RoleUse, part: number | undefined): Html {
  return html`<tr><th scope="row">${words(role.role)}</th><td class="number">${count(role.calls)}</td><td class="number">${count(role.prompt_tokens)}</td><td class="number">${count(role.completion_tokens)}</td><td class="number">${dollars(role.cost_usd)}</td><td class="wide">${part !== undefined && shareBar(part)}</td></tr>
`;
}

function shareBar(part: number): Html {
  const label = share(part, 1);
  return html`<span class="meter"><svg width="100%" height="8" aria-hidden="true"><rect class="track" width="100%" height="8" rx="4"/><rect class="kept" width="${(part * 100).toFixed(2)}%" height="8" rx="4"/></svg><small>${label}</small></span>`;
}

/** How each tool was used; nothing where none was called. */
export function toolsSection(tools: readonly ToolUse[]): Html | false {
  if (tools.length === 0) return false;
  return html`<section>
<h2>Tools</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Calls by tool"><table>
<thead><tr><th scope="col">Tool</th><th scope="col" class="number">Calls</th><th scope="col" class="number">From the cache</th><th scope="col" class="number">Failed</th><th scope="col" class="number">Median time</th><th scope="col" class="number">99 % within</th></tr></thead>
<tbody>
${tools.map(toolRow)}
</tbody>
</table></div>
<p class="note">A failed call has ended its task; what a tool says of a mistake is a result. Times are those of calls that the cache did not answer.</p>
</section>`;
}

function toolRow({ tool, calls, cached, failed, p50_ms, p99_ms }: ToolUse): Html {
  return html`<tr><th scope="row"><code>${tool}</code></th><td class="number">${count(calls)}</td><td class="number">${share(cached, calls)}</td><td class="number">${count(failed)}</td><td class="number">${time(p50_ms)}</td><td class="number">${time(p99_ms)}</td></tr>
`;
}

function time(ms: number | null): string {
  if (ms === null) return '–';
  return ms < 1_000 ? `${count(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** The first few drops and failures of each kind, with their evidence. */
export function examplesSection({ examples, run }: ReportData): Html {
  if (examples.length === 0) {
    return html`<section><h2>Drops and failures</h2><p class="empty">No record was dropped or failed.</p></section>`;
  }
  const kinds = Map.groupBy(examples, ({ stage, kind }) => `${stage} ${kind}`);
  return html`<section>
<h2>Drops and failures</h2>
<p class="note">The first few of each kind; each command lists all of its kind.</p>
${[...kinds.values()].map((own) => kindList(run, own))}
</section>`;
}

function kindList(run: string, examples: ReportData['examples']): Html {
  const { stage, kind } = examples[0]!;
  const rows = quoteShellWord(new URLSearchParams({ stage, reason: kind }).toString());
  return html`<details class="kind"><summary>${stage}: ${words(kind)} <small>${examples.length} shown</small></summary>
<p class="note"><code>coa-distill view ${quoteShellWord(run)} --rows ${rows}</code></p>
<ul>${examples.map((example) => html`<li><code>${example.task_id}</code><pre>${example.message}</pre></li>`)}</ul>
</details>
`;
}
