import { facetNames, figureNames } from '../index/fields.ts';

const filterNames = new Set<string>(['q', 'sort', ...facetNames, ...figureNames]);

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
