import { expect, test, vi } from 'vitest';
import { stopOnSignals } from '../../cli/stopOnSignals.ts';

test('live lines are taken away before the message, so that its command stays on the screen', () => {
  const order: string[] = [];
  vi.spyOn(console, 'error').mockImplementation((line: string) => order.push(line));
  const before = process.listeners('SIGINT');
  const stop = stopOnSignals({
    resume: 'coa-distill run x.yaml',
    drains: () => true,
    clear: () => order.push('cleared'),
  });
  const [own] = process.listeners('SIGINT').filter((listener) => !before.includes(listener));
  own!('SIGINT');
  expect(order).toEqual(['cleared', expect.stringContaining('coa-distill run x.yaml')]);
  expect(stop.drain.aborted && !stop.signal.aborted).toBe(true);
  vi.useFakeTimers();
  stop[Symbol.dispose]();
  vi.clearAllTimers();
  vi.useRealTimers();
  vi.restoreAllMocks();
});
