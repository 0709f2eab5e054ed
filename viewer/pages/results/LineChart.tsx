import { count } from '../words.ts';

const canvas = { width: 420, height: 140, left: 46, bottom: 18 };
/** Points that can be told apart; of a longer course every nth is drawn. */
const MAX_POINTS = 600;

interface LineChartProps {
  readonly title: string;
  readonly points: readonly { readonly step: number; readonly value: number | null | undefined }[];
}

/** A figure by step; steps without one are left out. Nothing where no step has one. */
export function LineChart({ title, points }: LineChartProps) {
  const known = points.flatMap(({ step, value }) => (value == null ? [] : [{ step, value }]));
  if (known.length === 0) return null;
  const values = known.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [first, last] = [known[0]!.step, known.at(-1)!.step];
  const x = (step: number) =>
    canvas.left + ((step - first) / Math.max(1, last - first)) * (canvas.width - canvas.left - 6);
  const y = (value: number) =>
    canvas.height -
    canvas.bottom -
    ((value - least) / (most - least || 1)) * (canvas.height - canvas.bottom - 8);
  const every = Math.ceil(known.length / MAX_POINTS);
  const drawn = known.filter((_, at) => at % every === 0 || at === known.length - 1);
  const label = `${title}: ${figure(known[0]!.value)} at step ${count(first)}, ${figure(known.at(-1)!.value)} at step ${count(last)}`;
  return (
    <figure class="line">
      <figcaption>
        {title} <b>{figure(known.at(-1)!.value)}</b>
      </figcaption>
      <svg viewBox={`0 0 ${canvas.width} ${canvas.height}`} role="img" aria-label={label}>
        <polyline points={drawn.map(({ step, value }) => `${x(step)},${y(value)}`).join(' ')} />
        {drawn.length < 3 &&
          drawn.map(({ step, value }) => <circle key={step} cx={x(step)} cy={y(value)} r="3" />)}
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

/** Four digits that count. */
function figure(value: number): string {
  return String(Number(value.toPrecision(4)));
}
