import type { PlantedRow } from '../../schemas/report.ts';
import { count, words } from './figures.ts';
import { type Html, html } from './html.ts';

/** Planted flaws against what became of them. Nothing where none could be planted. */
export function plantedSection(planted: readonly PlantedRow[] | null): Html | undefined {
  if (planted === null) return undefined;
  const wrong = planted.filter((row) => !isRight(row)).length;
  return html`<section>
<h2>Planted against found</h2>
<p class="${wrong === 0 ? 'good' : 'bad'}">${verdict(planted.length, wrong)}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Planted against found"><table>
<thead><tr><th scope="col">Flaw</th><th scope="col">Profile</th><th scope="col">Expected</th><th scope="col" class="number">Planted</th><th scope="col" class="number">As expected</th><th scope="col" class="number">False finds</th><th scope="col"></th></tr></thead>
<tbody>
${planted.map(plantedRow)}
</tbody>
</table></div>
</section>`;
}

function verdict(rows: number, wrong: number): string {
  if (rows === 0) return 'Nothing was planted.';
  if (wrong === 0) return 'Everything planted ended as it should, and nothing else was taken for it.';
  return `${count(wrong)} of ${count(rows)} lines did not end as they should.`;
}

function isRight(row: PlantedRow): boolean {
  return row.as_expected === row.planted && row.false_finds === 0;
}

function plantedRow(row: PlantedRow): Html {
  const mark = isRight(row)
    ? html`<span class="good">✓ right</span>`
    : html`<span class="bad">✗ wrong</span>`;
  return html`<tr><th scope="row">${words(row.flaw)}</th><td>${row.profile}</td><td>${words(row.expected)}</td><td class="number">${count(row.planted)}</td><td class="number">${count(row.as_expected)}</td><td class="number">${count(row.false_finds)}</td><td>${mark}</td></tr>
`;
}
