import type { SpendMinute } from '../api.ts';
import { count, dollars, duration } from './words.ts';

const canvas = { width: 600, height: 120 };
/** Bars that can be told apart; a longer run has several minutes a bar. */
const MAX_BARS = 100;
const MINUTE_MS = 60_000;

/** Requests over time, those that were sent again apart. */
export function SpendChart({ minutes }: { readonly minutes: readonly SpendMinute[] }) {
  if (minutes.length === 0) return null;
  const first = minutes[0]!.at_ms;
  const span = minutes.at(-1)!.at_ms - first + MINUTE_MS;
  const width = Math.max(MINUTE_MS, Math.ceil(span / MINUTE_MS / MAX_BARS) * MINUTE_MS);
  const bars = new Array<{ calls: number; retries: number }>(Math.ceil(span / width)).fill({
    calls: 0,
    retries: 0,
  });
  for (const { at_ms, calls, retries } of minutes) {
    const at = Math.floor((at_ms - first) / width);
    bars[at] = { calls: bars[at]!.calls + calls, retries: bars[at]!.retries + retries };
  }
  const most = Math.max(...bars.map(({ calls, retries }) => calls + retries), 1);
  const cost = minutes.reduce((sum, minute) => sum + minute.cost_usd, 0);
  const slot = canvas.width / Math.max(bars.length, 12);
  const label = `Requests over ${duration(span)}, at most ${count(most)} in ${duration(width)}${cost > 0 ? `, ${dollars(cost)} in all` : ''}`;
  return (
    <section>
      <h2>Requests over time</h2>
      <p class="note">{label}.</p>
      <svg class="spend" viewBox={`0 0 ${canvas.width} ${canvas.height}`} role="img" aria-label={label}>
        {bars.map(({ calls, retries }, at) => {
          const height = (value: number) => (value / most) * (canvas.height - 4);
          const x = at * slot + slot * 0.1;
          return (
            <g key={at}>
              <rect
                class="calls"
                x={x}
                width={slot * 0.8}
                y={canvas.height - height(calls)}
                height={height(calls)}
              />
              <rect
                class="retries"
                x={x}
                width={slot * 0.8}
                y={canvas.height - height(calls + retries)}
                height={height(retries)}
              />
            </g>
          );
        })}
      </svg>
    </section>
  );
}
