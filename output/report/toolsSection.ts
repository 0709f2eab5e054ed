import type { ToolUse } from '../../schemas/report.ts';
import { count, share } from './figures.ts';
import { type Html, html } from './html.ts';

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
