import { useRef, useState } from 'preact/hooks';
import { NumberInput } from './NumberInput.tsx';
import { count } from './words.ts';

const canvas = { width: 240, height: 48 };

interface HistogramBrushProps {
  readonly title: string;
  readonly histogram: { readonly from: number; readonly width: number; readonly counts: readonly number[] };
  /** As the address has it: `100-200`; empty for all. */
  readonly range: string;
  readonly onRange: (range: string) => void;
}

/** A figure of all rows: drawing over bars chooses a range, and so does typing it. */
export function HistogramBrush({
  title,
  histogram: { from, width, counts },
  range,
  onRange,
}: HistogramBrushProps) {
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
