/** Whether this is `make test-all`. */
export const isFull = process.env.COA_TESTS === 'all';

/**
 * How many cases a property or campaign tries: all in `make test-all`, a tenth in `make test`. An environment variable
 * of the name asks for another number.
 */
export function cases(full: number, variable?: string): number {
  const asked = variable === undefined ? undefined : process.env[variable];
  if (asked !== undefined) return Number(asked);
  return isFull ? full : Math.ceil(full / 10);
}

/** The cases of a list: all in `make test-all`, every fifth in `make test`. */
export function someOf<T>(all: readonly T[]): readonly T[] {
  return isFull ? all : all.filter((_, at) => at % 5 === 0);
}

/** Cases of the properties that matter most. */
export const propertyRuns = cases(10_000, 'COA_PROPERTY_RUNS');
