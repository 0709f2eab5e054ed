/** A figure with its 95% interval, where there is one. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly interval?: { readonly low: number; readonly high: number };
}

/** What bars show. */
export interface ChartText {
  readonly title: string;
  /** The value at the right end of the scale. */
  readonly most: number;
  /** A value as it is written. */
  readonly write: (value: number) => string;
}

const [WIDTH, LEFT, ROW, BAR, TOP] = [640, 110, 34, 18, 30];

/** A picture of figures from 0 to the most, a bar each: the same bars give the same bytes. */
export function chartOf({ title, most, write }: ChartText, bars: readonly Bar[]): string {
  const scale = (WIDTH - LEFT - 70) / most;
  const x = (value: number) => (LEFT + value * scale).toFixed(1);
  const height = TOP + bars.length * ROW + 24;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const at = x(share * most);
    return `<line x1="${at}" y1="${TOP}" x2="${at}" y2="${height - 24}" stroke="#ccc"/><text x="${at}" y="${height - 8}" text-anchor="middle">${write(share * most)}</text>`;
  });
  const rows = bars.map(({ name, value, interval }, row) => {
    const middle = TOP + row * ROW + ROW / 2;
    return [
      `<text x="${LEFT - 8}" y="${middle + 4}" text-anchor="end">${name}</text>`,
      `<rect x="${LEFT}" y="${middle - BAR / 2}" width="${(value * scale).toFixed(1)}" height="${BAR}" fill="#4a7ab5"/>`,
      interval
        ? `<line x1="${x(interval.low)}" y1="${middle}" x2="${x(interval.high)}" y2="${middle}" stroke="#222" stroke-width="2"/>`
        : '',
      `<text x="${WIDTH - 62}" y="${middle + 4}">${write(value)}</text>`,
    ].join('');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="${LEFT}" y="18">${title}</text>`,
    ...grid,
    ...rows,
    '</svg>\n',
  ].join('\n');
}
