import { useRef, useState } from 'preact/hooks';
import type { CountsAnswer } from '../api.ts';
import { facetTable, figureNames, figureTitles } from '../index/fields.ts';
import type { FacetCount } from '../index/queryRows.ts';
import { replaced, toggled } from './filter.ts';
import { NumberInput } from './inputs.tsx';
import { count, words } from './words.ts';

/** Values shown before "more". */
const FIRST_VALUES = 8;

interface FacetsProps {
  readonly counts: CountsAnswer;
  readonly filter: URLSearchParams;
  readonly onChange: (next: URLSearchParams) => void;
}

export function Facets({ counts: { facets, histograms }, filter, onChange }: FacetsProps) {
  return (
    <div>
      {facetTable.map(({ name, title }) => (
        <Facet
          key={name}
          title={title}
          isCode={codes.has(name)}
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

/** Facets with codes of this program; other values are names and stay unchanged. */
const codes: ReadonlySet<string> = new Set([
  'state',
  'stage',
  'reason',
  'verdict',
  'judge',
  'mark',
  'review',
]);

interface FacetProps {
  readonly title: string;
  readonly isCode: boolean;
  readonly counts: readonly FacetCount[];
  readonly chosen: readonly string[];
  readonly onToggle: (value: string) => void;
}

function Facet({ title, isCode, counts, chosen, onToggle }: FacetProps) {
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
          <span class="value">{isCode ? words(value) : value}</span>
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

const canvas = { width: 240, height: 48 };

interface HistogramBrushProps {
  readonly title: string;
  readonly histogram: { readonly from: number; readonly width: number; readonly counts: readonly number[] };
  /** `100-200`; empty for all. */
  readonly range: string;
  readonly onRange: (range: string) => void;
}

/** Histogram of a figure; a range is chosen by dragging over bars or typing. */
function HistogramBrush({ title, histogram: { from, width, counts }, range, onRange }: HistogramBrushProps) {
  const svg = useRef<SVGSVGElement>(null);
  const [drawn, setDrawn] = useState<[number, number]>();
  const most = Math.max(1, ...counts);
  const slot = canvas.width / counts.length;
  const binAt = (event: PointerEvent): number => {
    const { left, width: wide } = svg.current!.getBoundingClientRect();
    const bin = Math.floor(((event.clientX - left) / wide) * counts.length);
    return Math.min(counts.length - 1, Math.max(0, bin));
  };
  const finish = (): void => {
    if (!drawn) return;
    const [first, last] = [Math.min(...drawn), Math.max(...drawn)];
    setDrawn(undefined);
    onRange(`${from + first * width}-${from + (last + 1) * width - 1}`);
  };
  const [least = '', greatest = ''] = range.split('-');
  const isIn = (bin: number): boolean => {
    if (drawn) return bin >= Math.min(...drawn) && bin <= Math.max(...drawn);
    const [low, high] = [from + bin * width, from + (bin + 1) * width - 1];
    return range === '' || (high >= Number(least || -Infinity) && low <= Number(greatest || Infinity));
  };
  const end = from + counts.length * width - 1;
  return (
    <fieldset class="figure">
      <legend>{title}</legend>
      <svg
        ref={svg}
        viewBox={`0 0 ${canvas.width} ${canvas.height}`}
        role="img"
        aria-label={`${title} from ${count(from)} to ${count(end)}`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrawn([binAt(event), binAt(event)]);
        }}
        onPointerMove={(event) => drawn && setDrawn([drawn[0], binAt(event)])}
        onPointerUp={finish}
        onPointerCancel={() => setDrawn(undefined)}
      >
        {counts.map((value, bin) => {
          const height = value === 0 ? 0 : Math.max(1.5, (value / most) * (canvas.height - 2));
          return (
            <rect
              key={bin}
              class={isIn(bin) ? 'in' : 'out'}
              x={bin * slot + 0.5}
              y={canvas.height - height}
              width={Math.max(1, slot - 1)}
              height={height}
            />
          );
        })}
      </svg>
      <div class="range">
        <NumberInput
          label={`${title} at least`}
          min={0}
          value={least}
          placeholder={String(from)}
          onValue={(value) => onRange(rangeText(value, greatest))}
        />
        <span aria-hidden="true">–</span>
        <NumberInput
          label={`${title} at most`}
          min={0}
          value={greatest}
          placeholder={String(end)}
          onValue={(value) => onRange(rangeText(least, value))}
        />
      </div>
    </fieldset>
  );
}

function rangeText(least: string, greatest: string): string {
  return least === '' && greatest === '' ? '' : `${least}-${greatest}`;
}
