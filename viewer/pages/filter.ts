import { facetNames, figureNames, plainFigures } from '../index/fields.ts';
import type { FacetCount } from '../index/queryRows.ts';

const filterNames = new Set<string>(['q', 'sort', ...facetNames, ...figureNames]);

export function filterOf(query: Iterable<[string, string]>): URLSearchParams {
  return new URLSearchParams([...query].filter(([name]) => filterNames.has(name)));
}

export function toggled(filter: URLSearchParams, name: string, value: string): URLSearchParams {
  const others = [...filter].filter(([key, own]) => key !== name || own !== value);
  const isIn = others.length < [...filter].length;
  return new URLSearchParams(isIn ? others : [...others, [name, value]]);
}

/** Filter with a name set, or removed if the value is empty. */
export function replaced(filter: URLSearchParams, name: string, value: string): URLSearchParams {
  const next = new URLSearchParams(filter);
  if (value === '') next.delete(name);
  else next.set(name, value);
  return next;
}

/** The command that lists the rows of a filter, or shows the run without one. */
export function commandOf(name: string, filter?: URLSearchParams): string {
  const view = `coa-distill view ${shellWord(name)}`;
  return filter ? `${view} --rows ${shellWord(filter.toString())} --json` : view;
}

function shellWord(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const facets = new Set<string>(facetNames);
const figures = new Set<string>(figureNames);
const quoted = '"(?:[^"\\\\]|\\\\.)*"?';
const termPattern = new RegExp(`(?:[^\\s":]*:)?${quoted}|\\S+`, 'g');
const facetPattern = /^(\w+):(.+)$/s;
const figurePattern = /^(\w+)(>=|<=|>|<|=)(-?\d+(?:\.\d+)?)$/;

/**
 * Parses a typed filter, for instance `verdict:wrong tokens>4000 tool:crawl_page "old town"`: values of facets, ranges
 * of figures, and search words.
 */
export function parseFilterLine(line: string): URLSearchParams {
  const filter = new URLSearchParams();
  const ranges: Record<string, [string, string]> = {};
  const words: string[] = [];
  for (const [term] of line.matchAll(termPattern)) {
    const [, facet = '', value = ''] = facetPattern.exec(term) ?? [];
    const [, figure = '', sign = '', number = ''] = figurePattern.exec(term) ?? [];
    if (facets.has(facet)) filter.append(facet, unquoted(value));
    else if (figures.has(figure)) ranges[figure] = narrowed(ranges[figure], figure, sign, Number(number));
    // Unfinished name of a facet.
    else if (!facets.has(term.replace(/:$/, '')) || !term.endsWith(':')) words.push(term);
  }
  for (const [figure, range] of Object.entries(ranges)) filter.set(figure, range.join('-'));
  if (words.length > 0) filter.set('q', words.join(' '));
  return filter;
}

/** Narrows a range; `>` and `<` exclude the number, which shifts whole numbers by one. */
function narrowed(
  [least, most]: readonly [string, string] = ['', ''],
  figure: string,
  sign: string,
  number: number,
): [string, string] {
  const step = plainFigures.has(figure) || sign.includes('=') ? 0 : 1;
  return [
    sign.startsWith('<') ? least : String(number + step),
    sign.startsWith('>') ? most : String(number - step),
  ];
}

export function filterLine(filter: Iterable<[string, string]>): string {
  return [...filter]
    .flatMap(([name, value]) => {
      if (name === 'sort') return [];
      if (name === 'q') return [value];
      if (!figures.has(name)) return [`${name}:${inQuotes(value)}`];
      const [least, most] = value.split(/(?<=\d)-|^-/);
      return [...(least ? [`${name}>=${least}`] : []), ...(most ? [`${name}<=${most}`] : [])];
    })
    .join(' ');
}

type Values = Readonly<Record<string, readonly FacetCount[]>>;

/** Completions of a line: names of facets and figures, or values of a facet. */
export function completions(line: string, values: Values): readonly string[] {
  const [before, typed] = lastTerm(line);
  const [facet] = typed.split(':', 1);
  const ends = typed.includes(':')
    ? (values[facet!] ?? []).map(({ value }) => `${facet}:${inQuotes(value)}`)
    : [...facetNames.map((name) => `${name}:`), ...figureNames.map((name) => `${name}>`)];
  return ends.filter((end) => end !== typed && end.startsWith(typed)).map((end) => before + end);
}

/** A line without an unfinished value, which would match nothing. */
export function withoutOpenValue(line: string, values: Values): string {
  const [before, typed] = lastTerm(line);
  return typed.includes(':') && completions(line, values).length > 0 ? before : line;
}

function lastTerm(line: string): [before: string, typed: string] {
  const last = [...line.matchAll(termPattern)].at(-1);
  const isOpen = last !== undefined && last.index + last[0].length === line.length;
  return isOpen ? [line.slice(0, last.index), last[0]] : [line, ''];
}

function inQuotes(value: string): string {
  return /^[^\s"\\]+$/.test(value) ? value : JSON.stringify(value);
}

function unquoted(value: string): string {
  try {
    return value.startsWith('"') ? String(JSON.parse(value)) : value;
  } catch {
    // Unfinished value.
    return value.slice(1);
  }
}
