import { useState } from 'preact/hooks';
import type { CountsAnswer } from '../answers.ts';
import { facetTable, figureNames, figureTitles } from '../index/fields.ts';
import type { FacetCount } from '../index/queryRows.ts';
import { replaced, toggled } from './filter.ts';
import { HistogramBrush } from './HistogramBrush.tsx';
import { count, words } from './words.ts';

/** Values of a facet that are shown at first. */
const FIRST_VALUES = 8;

interface FacetsProps {
  readonly counts: CountsAnswer;
  readonly filter: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
}

/** What the rows are told apart by, with counts. */
export function Facets({ counts: { facets, histograms }, filter, onChange }: FacetsProps) {
  return (
    <div>
      {facetTable.map(({ name, title }) => (
        <Facet
          key={name}
          title={title}
          counts={facets[name]}
          chosen={filter.getAll(name)}
          onToggle={(value) => onChange(toggled(filter, name, value))}
        />
      ))}
      {figureNames.map(
        (name) =>
          histograms[name] && (
            <HistogramBrush
              key={name}
              title={figureTitles[name]}
              histogram={histograms[name]}
              range={filter.get(name) ?? ''}
              onRange={(range) => onChange(replaced(filter, name, range))}
            />
          ),
      )}
    </div>
  );
}

interface FacetProps {
  readonly title: string;
  readonly counts: readonly FacetCount[];
  readonly chosen: readonly string[];
  readonly onToggle: (value: string) => void;
}

function Facet({ title, counts, chosen, onToggle }: FacetProps) {
  const [isWhole, setWhole] = useState(false);
  const absent = chosen.filter((value) => !counts.some((other) => other.value === value));
  const values = [...counts, ...absent.map((value) => ({ value, count: 0 }))];
  if (values.length < 2 && chosen.length === 0) return null;
  const shown = isWhole
    ? values
    : values.filter(({ value }, at) => at < FIRST_VALUES || chosen.includes(value));
  return (
    <fieldset>
      <legend>{title}</legend>
      {shown.map(({ value, count: times }) => (
        <label key={value}>
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => onToggle(value)} />
          <span class="value">{words(value)}</span>
          <span class="count">{count(times)}</span>
        </label>
      ))}
      {shown.length < values.length && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          {values.length - shown.length} more
        </button>
      )}
    </fieldset>
  );
}
