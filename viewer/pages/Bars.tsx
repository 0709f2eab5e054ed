/** A bar: its parts from the bottom up, by the class that colours them. */
export interface Bar {
  readonly parts: Readonly<Record<string, number>>;
  /** What stands below it. */
  readonly tick?: string | undefined;
  readonly title?: string;
}

interface BarsProps {
  readonly caption: string;
  readonly bars: readonly Bar[];
  /** All that the bars show, for who does not see them. Default: the caption. */
  readonly label?: string;
  /** Bars that there is room for at least: fewer are no broader. */
  readonly room?: number;
}

const canvas = { width: 600, height: 120, ticks: 18 };

/** Bars side by side, what they show above them. */
export function Bars({ caption, bars, label = caption, room = 1 }: BarsProps) {
  const heights = bars.map(({ parts }) => Object.values(parts).reduce((sum, value) => sum + value, 0));
  const unit = (canvas.height - 4) / (Math.max(...heights) || 1);
  const slot = canvas.width / Math.max(bars.length, room);
  const isTicked = bars.some(({ tick }) => tick !== undefined);
  return (
    <figure class="bars">
      <figcaption class="note">{caption}</figcaption>
      <svg
        viewBox={`0 0 ${canvas.width} ${canvas.height + (isTicked ? canvas.ticks : 0)}`}
        role="img"
        aria-label={label}
      >
        {bars.map(({ parts, tick, title }, at) => {
          let top = canvas.height;
          return (
            <g key={at}>
              {title && <title>{title}</title>}
              {Object.entries(parts).map(([part, value]) => {
                const height = value * unit;
                top -= height;
                return (
                  <rect
                    key={part}
                    class={part}
                    x={(at + 0.1) * slot}
                    width={slot * 0.8}
                    y={top}
                    height={height}
                  />
                );
              })}
              {tick && (
                <text x={at * slot} y={canvas.height + canvas.ticks - 3}>
                  {tick}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </figure>
  );
}
