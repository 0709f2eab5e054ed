import type { Scale } from './scale.ts';
import { canvas, horizontal, plot, vertical } from './shapes.tsx';

/** There is no room for more than seven signs at the left. */
const short = new Intl.NumberFormat('en-US', { notation: 'compact' });

interface AxesProps {
  readonly x: Scale;
  readonly y: Scale;
  readonly axis: string;
  readonly tickOf: (at: number) => string;
  readonly textOf: (value: number) => string;
}

/** Values at the left, each with its line, and places below. */
export function Axes({ x, y, axis, tickOf, textOf }: AxesProps) {
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
