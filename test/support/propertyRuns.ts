/** Cases of the properties that matter most: COA_PROPERTY_RUNS asks for more. */
export const propertyRuns = Math.max(10_000, Number(process.env.COA_PROPERTY_RUNS ?? 0) || 0);
