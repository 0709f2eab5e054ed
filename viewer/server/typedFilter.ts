import { nearestName, suggestion } from '../../base/nearestName.ts';
import { UserError } from '../../base/userError.ts';
import { dropReasons } from '../../schemas/dropReasons.ts';
import { failureCauses } from '../../schemas/failureCauses.ts';
import { type FacetName, facetNames, figureNames } from '../index/fields.ts';
import type { RowFilter } from '../index/queryRows.ts';
import type { RecordIndex } from '../index/recordIndex.ts';
import { parseRowFilter } from './listedRows.ts';

const names = [...facetNames, ...figureNames, 'q', 'sort'];

/** Values that a run may have none of. */
const possibleValues: Partial<Record<FacetName, readonly string[]>> = {
  state: ['pending', 'kept', 'dropped', 'failed'],
  verdict: ['right', 'wrong', 'no_answer', 'unscored'],
  reason: [...Object.keys(dropReasons), ...Object.keys(failureCauses)],
};

/**
 * The filter of `--rows`, in the form that addresses have behind the `?`; an empty text chooses all rows. Addresses leave out
 * what they don't know; a person would take what is listed then for what was asked.
 *
 * @throws UserError for a part that is not `name=value`, and for a name that no filter has
 */
export function parseTypedFilter(text: string): RowFilter {
  for (const part of text.split('&').filter((one) => one !== '')) {
    const [name = ''] = part.split('=', 1);
    if (!part.includes('=')) throw new UserError(`--rows ${text}: ${adviceFor(part)}`);
    if (!names.includes(name)) throw new UserError(`--rows: no filter "${name}"; ${suggestion(name, names)}`);
  }
  return parseRowFilter(new URLSearchParams(text));
}

/** How to write what is no `name=value`: the form of the page's search box, or words. */
function adviceFor(part: string): string {
  const [, name = '', value = ''] = /^(\w+):(.+)$/.exec(part) ?? [];
  const facet = nearestName(name, facetNames);
  if (facet !== undefined) return `expected ${new URLSearchParams([[facet, value]])}`;
  const form = 'expected name=value, joined by &, such as state=dropped&tokens=1000-';
  return `${form}; words and ids are searched by ${new URLSearchParams([['q', part]])}`;
}

/** Refuses a value of a facet that no row has. @throws UserError that names the values that rows have */
export function refuseUnknownValues({ facets }: RowFilter, { columns }: RecordIndex): void {
  for (const [name, values] of Object.entries(facets) as [FacetName, readonly string[]][]) {
    const present = columns.words.get(name)!.words;
    for (const value of values) {
      if (present.includes(value) || possibleValues[name]?.includes(value)) continue;
      const nearest = nearestName(value, [...present, ...(possibleValues[name] ?? [])]);
      const advice = nearest === undefined ? suggestion(value, present) : `did you mean "${nearest}"?`;
      throw new UserError(`--rows: no row has ${name}=${value}; ${advice}`);
    }
  }
}
