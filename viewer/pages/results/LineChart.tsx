import { count } from '../words.ts';

const canvas = { width: 420, height: 140, left: 46, bottom: 18 };
/** Points that can be told apart; of a longer course every nth is drawn. */
const MAX_POINTS = 600;

interface LineChartProps {
  readonly title: string;
  readonly points: readonly { readonly step: number; readonly value: number | null | undefined }[];
}

/** A figure by step, with gaps where a step has none. Nothing where no step has one. */
export function LineChart({ title, points }: LineChartProps) {
  const known = points.flatMap(({ step, value }) => (value == null ? [] : [{ step, value }]));
  if (known.length === 0) return null;
  const least = known.reduce((found, { value }) => Math.min(found, value), Number.POSITIVE_INFINITY);
  const most = known.reduce((found, { value }) => Math.max(found, value), Number.NEGATIVE_INFINITY);
  const [first, last] = [known[0]!.step, known.at(-1)!.step];
  const x = (step: number) =>
    canvas.left + ((step - first) / Math.max(1, last - first)) * (canvas.width - canvas.left - 6);
  const y = (value: number) =>
    canvas.height -
    canvas.bottom -
    ((value - least) / (most - least || 1)) * (canvas.height - canvas.bottom - 8);
  const every = Math.ceil(points.length / MAX_POINTS);
  const lines = unbroken(points.filter((_, at) => at % every === 0 || at === points.length - 1));
  const label = `${title}: ${figure(known[0]!.value)} at step ${count(first)}, ${figure(known.at(-1)!.value)} at step ${count(last)}`;
  return (
    <figure class="line">
      <figcaption>
        {title} <b>{figure(known.at(-1)!.value)}</b>
      </figcaption>
      <svg viewBox={`0 0 ${canvas.width} ${canvas.height}`} role="img" aria-label={label}>
        {lines.map((line) => (
          <g key={line[0]!.step}>
            <polyline points={line.map(({ step, value }) => `${x(step)},${y(value)}`).join(' ')} />
            {line.length < 3 &&
              line.map(({ step, value }) => <circle key={step} cx={x(step)} cy={y(value)} r="3" />)}
          </g>
        ))}
        <text x="0" y="12">
          {figure(most)}
        </text>
        <text x="0" y={canvas.height - canvas.bottom}>
          {figure(least)}
        </text>
        <text x={canvas.left} y={canvas.height - 2}>
          {count(first)}
        </text>
        <text x={canvas.width - 4} y={canvas.height - 2} text-anchor="end">
          {count(last)}
        </text>
      </svg>
    </figure>
  );
}

/** The stretches between steps without a value. */
function unbroken(points: LineChartProps['points']): { step: number; value: number }[][] {
  const lines: { step: number; value: number }[][] = [[]];
  for (const { step, value } of points) {
    if (value == null) lines.push([]);
    else lines.at(-1)!.push({ step, value });
  }
  return lines.filter((line) => line.length > 0);
}

/** Four digits that count. */
function figure(value: number): string {
  return String(Number(value.toPrecision(4)));
}
