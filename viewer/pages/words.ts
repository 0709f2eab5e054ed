import { count } from '../../base/figures.ts';
import type { AgentCallEvent } from '../../schemas/trace.ts';

export { count, dollars, percent, words } from '../../base/figures.ts';

/** A number with its noun: `1 row`, `2 rows`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** `42.9%`; a dash if the whole is 0. */
export function percentOf(part: number, total: number): string {
  return total === 0 ? '–' : `${Math.round((1_000 * part) / total) / 10}%`;
}

/** `420 ms`, `3.2 s`, `5 min`, `2 h 5 min` */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const minutes = Math.round(ms / 60_000);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Time since, such as `5 min ago`. */
export function ago(atMs: number): string {
  return `${duration(Math.max(1_000, Date.now() - atMs))} ago`;
}

/** A time of a record, to the minute. */
export function moment(iso: string): string {
  return iso.replace(/^(.*)T(\d+:\d+).*$/, '$1 $2 UTC');
}

/** Prompt and completion tokens: `1,200 + 80`. */
export function usageText({ usage }: Pick<AgentCallEvent, 'usage'>): string {
  return `${count(usage.prompt_tokens)} + ${count(usage.completion_tokens)}`;
}
