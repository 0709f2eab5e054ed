import type { FacetName, FigureName } from '../index/fields.ts';

/** The facets in the order in which they stand beside the table. */
export const facetTitles: readonly [FacetName, string][] = [
  ['state', 'State'],
  ['stage', 'Stage'],
  ['reason', 'Reason'],
  ['profile', 'Profile'],
  ['judge', 'Verdict'],
  ['tool', 'Tool'],
  ['mark', 'Mark'],
  ['review', 'Review'],
  ['source', 'Source'],
  ['split', 'Split'],
];

/** The figures, with their titles. */
export const figureTitles: readonly [FigureName, string][] = [
  ['tokens', 'Tokens'],
  ['trained_tokens', 'Trained tokens'],
  ['segments', 'Segments'],
  ['interactions', 'Tool interactions'],
  ['model_calls', 'Model calls'],
  ['duration_s', 'Seconds'],
  ['score_percent', 'Score in %'],
  ['pass_rate_percent', 'Pass rate in %'],
];

const filterNames = new Set<string>([
  'q',
  'sort',
  ...facetTitles.map(([name]) => name),
  ...figureTitles.map(([name]) => name),
]);

/** What of an address is the filter. */
export function filterOf(query: Iterable<[string, string]>): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => filterNames.has(name)));
}

/** The same filter with a value of a facet taken in, or out. */
export function toggled(filter: URLSearchParams, name: string, value: string): URLSearchParams {
  const others = [...filter].filter(([key, own]) => key !== name || own !== value);
  const isIn = others.length < [...filter].length;
  return new URLSearchParams(isIn ? others : [...others, [name, value]]);
}

/** The same filter with one value for a name; none where it is empty. */
export function replaced(filter: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(filter);
  if (value === '') next.delete(name);
  else next.set(name, value);
  return next;
}

/** The command that shows a run, or lists the rows of a filter. */
export function commandOf(name: string, filter?: URLSearchParams): string {
  const view = `coa-distill view ${shellWord(name)}`;
  return filter ? `${view} --rows ${shellWord(filter.toString())} --json` : view;
}

function shellWord(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
