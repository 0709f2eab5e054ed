import type { TargetedKeyboardEvent, TargetedPointerEvent } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { reduceSeries } from '../../../base/statistics/reduceSeries.ts';
import type { Histogram as Bins } from '../../index/queryRows.ts';
import { count } from '../words.ts';
import { figure, type Scale } from './scale.ts';
import { canvas, type Drawn, drawing, horizontal, plot, type Series, vertical } from './shapes.tsx';

interface ChartProps extends Drawn {
  readonly title: string;
  readonly axis: string;
  readonly series: readonly Series[];
  /** Formats a position. Default: a whole number. */
  readonly wordsOf?: (at: number) => string;
  /** Formats an axis label. Default: as `wordsOf`. */
  readonly tickOf?: ((at: number) => string) | undefined;
  readonly textOf?: ((value: number) => string) | undefined;
}

/** Maximum distinguishable points. */
const MAX_POINTS = 400;

/**
 * Charts figures over an axis: lines with a band between minimum and maximum of each stretch, or bars. Dragging, or the
 * keyboard, zooms into a stretch.
 */
export function Chart(props: ChartProps) {
  const { title, axis, series, barWidth, wordsOf = count, tickOf = wordsOf, textOf = figure } = props;
  const [zoom, setZoom] = useState<Zoom>();
  const drawn = useMemo(
    () =>
      series.map((own) => ({
        ...own,
        points: reduceSeries(within(own.points, zoom), MAX_POINTS, (at) => at),
      })),
    [series, zoom],
  );
  const places = useMemo(() => placesOf(drawn), [drawn]);
  const parts = useMemo(
    () => (places.length === 0 ? null : drawing(props, drawn, places)),
    [drawn, props.isLog, props.smoothing, barWidth],
  );
  const ratioOf = (at: number) => (parts ? parts.x.place(places[at]!) + parts.middle : 0);
  const { at, anchor, handlers } = useStretch(places.length, ratioOf, (ends) =>
    setZoom(ends && [places[ends[0]]!, places[ends[1]]!]),
  );
  if (!parts) return null;
  const { x, y, shapes, middle, left } = parts;
  const isLine = barWidth === undefined;
  const told = textAt(drawn, places[at ?? places.length - 1]!, textOf, series.length > 1);
  const span = `${wordsOf(places[0]!)} to ${wordsOf(places.at(-1)!)}`;
  const end = isLine ? `; ${series.length > 1 ? 'at the end ' : 'last '}${told}` : '';
  return (
    <figure class="chart">
      <figcaption>
        {title}{' '}
        <output>
          {at !== undefined && `${axis} ${wordsOf(places[at]!)}: `}
          {(isLine || at !== undefined) && <b>{told}</b>}
        </output>{' '}
        {zoom && (
          <button type="button" onClick={() => setZoom(undefined)}>
            Show all
          </button>
        )}
      </figcaption>
      <svg
        viewBox={`0 0 ${canvas.width} ${canvas.height}`}
        role="img"
        tabIndex={0}
        aria-label={`${title} by ${axis}, ${span}${end}`}
        aria-description="Arrow keys read it, Shift with them chooses a stretch, Enter shows the stretch alone, Escape shows all."
        {...handlers}
      >
        <Axes x={x} y={y} axis={axis} tickOf={tickOf} textOf={textOf} />
        {shapes}
        {at !== undefined && (
          <rect
            class="pointer"
            x={horizontal(Math.min(ratioOf(at), ratioOf(anchor ?? at)) - (anchor === undefined ? 0 : middle))}
            width={stretchWidth(ratioOf(at) - ratioOf(anchor ?? at), anchor === undefined ? 0 : middle)}
            y={canvas.top}
            height={plot.height}
          />
        )}
      </svg>
      {left > 0 && <p class="note">{count(left)} values are not above 0 and not on this axis.</p>}
    </figure>
  );
}

function stretchWidth(ratio: number, middle: number): number {
  return Math.max(0.1, (Math.abs(ratio) + 2 * middle) * plot.width);
}

/** First and last position shown; undefined: all. */
type Zoom = readonly [from: number, to: number] | undefined;

function within(points: Series['points'], zoom: Zoom): Series['points'] {
  return zoom ? points.filter(([at]) => at >= zoom[0] && at <= zoom[1]) : points;
}

function placesOf(series: readonly Series[]): readonly number[] {
  const all = new Set<number>();
  for (const { points } of series) for (const [at, mean] of points) if (mean !== null) all.add(at);
  return [...all].sort((a, b) => a - b);
}

/** Values of all series at a position, or at the last one before it. */
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

/** Labels have room for seven characters. */
const short = new Intl.NumberFormat('en-US', { notation: 'compact' });

interface AxesProps {
  readonly x: Scale;
  readonly y: Scale;
  readonly axis: string;
  readonly tickOf: (at: number) => string;
  readonly textOf: (value: number) => string;
}

/** Axis labels and grid lines. */
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
            {Math.abs(tick) < 1e6 ? textOf(tick) : short.format(tick)}
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

type Pointer = TargetedPointerEvent<SVGSVGElement>;

/**
 * Pointed position of a chart, and start of a stretch selected by dragging or keys.
 *
 * @param places number of positions
 * @param ratioOf position on the axis, between 0 and 1
 * @param onStretch called with the ends of a stretch in order; undefined to reset
 */
function useStretch(
  places: number,
  ratioOf: (at: number) => number,
  onStretch: (ends: readonly [number, number] | undefined) => void,
) {
  const [pointed, setPointed] = useState<number>();
  const [anchor, setAnchor] = useState<number>();
  const at = pointed === undefined ? undefined : Math.min(pointed, places - 1);
  const leave = () => {
    setPointed(undefined);
    setAnchor(undefined);
  };
  const finish = () => {
    if (anchor !== undefined && at !== undefined && at !== anchor) {
      onStretch([Math.min(at, anchor), Math.max(at, anchor)]);
      leave();
    } else setAnchor(undefined);
  };
  const placeAt = ({ currentTarget, clientX }: Pointer) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return nearest(places, ratioOf, (((clientX - left) / width) * canvas.width - canvas.left) / plot.width);
  };
  const move = (by: number, isStretch: boolean) => {
    setAnchor(isStretch ? (anchor ?? at ?? places - 1) : undefined);
    setPointed(Math.min(places - 1, Math.max(0, (at ?? places) + by)));
  };
  const keys: Readonly<Record<string, (isStretch: boolean) => void>> = {
    ArrowLeft: (isStretch) => move(-1, isStretch),
    ArrowRight: (isStretch) => move(1, isStretch),
    Enter: finish,
    Escape: () => (anchor === undefined ? onStretch(undefined) : setAnchor(undefined)),
  };
  const handlers = {
    onPointerDown: (event: Pointer) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      setAnchor(placeAt(event));
    },
    onPointerMove: (event: Pointer) => setPointed(placeAt(event)),
    onPointerUp: finish,
    onPointerCancel: leave,
    onPointerLeave: leave,
    onBlur: leave,
    onKeyDown: (event: TargetedKeyboardEvent<SVGSVGElement>) => {
      const act = keys[event.key];
      if (!act) return;
      event.preventDefault();
      act(event.shiftKey);
    },
  };
  return { at, anchor, handlers };
}

function nearest(places: number, ratioOf: (at: number) => number, ratio: number): number {
  let best = 0;
  for (let at = 1; at < places; at++)
    if (Math.abs(ratioOf(at) - ratio) < Math.abs(ratioOf(best) - ratio)) best = at;
  return best;
}

interface HistogramProps {
  readonly title: string;
  readonly bins: Bins;
  readonly of: string;
}

export function Histogram({ title, bins: { from, width, counts }, of }: HistogramProps) {
  return (
    <Chart
      title={`${title} (${of})`}
      axis={title}
      barWidth={width}
      series={[{ name: of, points: counts.map((times, at) => [from + at * width, times]) }]}
      wordsOf={(at) => (width === 1 ? count(at) : `${count(at)}–${count(at + width - 1)}`)}
      tickOf={count}
    />
  );
}
