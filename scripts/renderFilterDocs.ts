import { readFileSync } from 'node:fs';
import { dropReasons } from '../schemas/dropReasons.ts';
import { filterRules } from '../schemas/filters/filterRules.ts';

const heading = '| reason | what is found | setting |\n|---|---|---|\n';

/** The page `docs/filters.md` with its table of rules as the rules say it. */
export function renderFilterDocs(): string {
  const page = readFileSync(new URL('../docs/filters.md', import.meta.url), 'utf8');
  const start = page.indexOf(heading) + heading.length;
  const rows = filterRules.flatMap(({ reasons }) =>
    Object.entries(reasons).map(
      ([reason, setting]) =>
        `| \`${reason}\` | ${dropReasons[reason as keyof typeof dropReasons].meaning} | ${setting} |\n`,
    ),
  );
  return page.slice(0, start) + rows.join('') + page.slice(page.indexOf('\n\n', start) + 1);
}
