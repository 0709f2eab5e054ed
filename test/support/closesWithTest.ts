import { onTestFinished } from 'vitest';

/** Has something closed at the end of the test that opened it; what is opened outside of tests its opener closes. */
export function closesWithTest<T extends { close(): unknown }>(one: T): T {
  try {
    onTestFinished(async () => void (await one.close()));
  } catch {
    // No test is running.
  }
  return one;
}
