import type { RoleUse } from '../../schemas/report.ts';
import { count, dollars, share, sum, words } from './figures.ts';
import { type Html, html } from './html.ts';

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
