import { useMemo, useState } from 'preact/hooks';
import { reduceSeries } from '../../../base/statistics/reduceSeries.ts';
import { count } from '../words.ts';
import { figure, type Scale } from './scale.ts';
import { canvas, type Drawn, drawing, horizontal, plot, type Series, vertical } from './shapes.tsx';

interface ChartProps extends Drawn {
  /** What is shown, with its unit. */
  readonly title: string;
  /** What the horizontal axis counts. */
  readonly axis: string;
  readonly series: readonly Series[];
  /** A place of the horizontal axis in words. Default: a whole number. */
  readonly wordsOf?: (at: number) => string;
  /** How the horizontal axis is labelled. Default: as its places in words. */
  readonly tickOf?: ((at: number) => string) | undefined;
  /** A value in words. Default: four digits. */
  readonly textOf?: ((value: number) => string) | undefined;
}

/** Points that can be told apart on the canvas. */
const MAX_POINTS = 400;

/** Figures over an axis, as lines with the band between the least and the most of each stretch, or as bars. */
export function Chart(props: ChartProps) {
  const { title, axis, series, barWidth, wordsOf = count, tickOf = wordsOf, textOf = figure } = props;
  const [pointed, setPointed] = useState<number>();
  const drawn = useMemo(
    () => series.map((own) => ({ ...own, points: reduceSeries(own.points, MAX_POINTS) })),
    [series],
  );
  const places = useMemo(() => placesOf(drawn), [drawn]);
  const parts = useMemo(
    () => (places.length === 0 ? null : drawing(props, drawn, places)),
    [drawn, props.isLog, props.smoothing, barWidth],
  );
  if (!parts) return null;
  const { x, y, shapes, middle, left } = parts;
  const at = pointed === undefined ? undefined : Math.min(pointed, places.length - 1);
  const told = textAt(drawn, places[at ?? places.length - 1]!, textOf, series.length > 1);
  const span = `${wordsOf(places[0]!)} to ${wordsOf(places.at(-1)!)}`;
  const point = (ratio: number) => setPointed(nearest(places, (place) => x.place(place) + middle, ratio));
  return (
    <figure class="chart">
      <figcaption>
        {title}{' '}
        <output>
          {at !== undefined && `${axis} ${wordsOf(places[at]!)}: `}
          <b>{told}</b>
        </output>
      </figcaption>
      <svg
        viewBox={`0 0 ${canvas.width} ${canvas.height}`}
        role="img"
        tabIndex={0}
        aria-label={`${title} by ${axis}, ${span}; ${series.length > 1 ? 'at the end ' : 'last '}${told}`}
        onPointerMove={({ currentTarget, clientX }) => {
          const { left: edge, width } = currentTarget.getBoundingClientRect();
          point((((clientX - edge) / width) * canvas.width - canvas.left) / plot.width);
        }}
        onPointerLeave={() => setPointed(undefined)}
        onBlur={() => setPointed(undefined)}
        onKeyDown={(event) => {
          const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
          if (by === undefined) return;
          event.preventDefault();
          setPointed(Math.min(places.length - 1, Math.max(0, (at ?? places.length) + by)));
        }}
      >
        <Axes x={x} y={y} axis={axis} tickOf={tickOf} textOf={textOf} />
        {shapes}
        {at !== undefined && (
          <line
            class="pointer"
            x1={horizontal(x.place(places[at]!) + middle)}
            x2={horizontal(x.place(places[at]!) + middle)}
            y1={canvas.top}
            y2={canvas.top + plot.height}
          />
        )}
      </svg>
      {left > 0 && <p class="note">{count(left)} values are not above 0 and not on this axis.</p>}
    </figure>
  );
}

interface AxesProps {
  readonly x: Scale;
  readonly y: Scale;
  readonly axis: string;
  readonly tickOf: (at: number) => string;
  readonly textOf: (value: number) => string;
}

function Axes({ x, y, axis, tickOf, textOf }: AxesProps) {
  const bottom = canvas.top + plot.height;
  return (
    <g class="axes">
      {y.ticks.map((tick) => (
        <g key={tick}>
          <line
            x1={canvas.left}
            x2={canvas.width - canvas.right}
            y1={vertical(y, tick)}
            y2={vertical(y, tick)}
          />
          <text x={canvas.left - 5} y={vertical(y, tick) + 4} text-anchor="end">
            {textOf(tick)}
          </text>
        </g>
      ))}
      {x.ticks.map((tick) => (
        <text
          key={tick}
          x={horizontal(x.place(tick))}
          y={bottom + 14}
          text-anchor={x.place(tick) > 0.95 ? 'end' : 'middle'}
        >
          {tickOf(tick)}
        </text>
      ))}
      <text x={canvas.left + plot.width / 2} y={canvas.height - 4} text-anchor="middle">
        {axis}
      </text>
    </g>
  );
}

/** All places of some series, in order, each once. */
function placesOf(series: readonly Series[]): readonly number[] {
  const all = new Set<number>();
  for (const { points } of series) for (const [at, mean] of points) if (mean !== null) all.add(at);
  return [...all].sort((a, b) => a - b);
}

function nearest(places: readonly number[], ratioOf: (place: number) => number, ratio: number): number {
  let best = 0;
  for (let at = 1; at < places.length; at++)
    if (Math.abs(ratioOf(places[at]!) - ratio) < Math.abs(ratioOf(places[best]!) - ratio)) best = at;
  return best;
}

/** What each series has at a place, or at the last one before it. */
function textAt(
  series: readonly Series[],
  place: number,
  textOf: (value: number) => string,
  isNamed: boolean,
): string {
  const texts = series.flatMap(({ name, points }) => {
    const found = points.findLast(([at, mean]) => at <= place && mean !== null);
    if (!found) return [];
    const [, mean, least = mean, most = mean] = found;
    const band = least === most ? '' : ` (${textOf(least!)} to ${textOf(most!)})`;
    return `${isNamed ? `${name} ` : ''}${textOf(mean!)}${band}`;
  });
  return texts.join(' · ');
}
