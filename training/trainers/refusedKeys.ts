/** Why `training.set` may not hold a key. Trainers name their own keys for each. */
export const refusals = {
  rows: "the rows' ids and masks are finished, and this would change or replace them",
  length: 'a row that is cut loses part of its mask; set dataset.cutoff_len and export again',
  folder: 'the job is followed and resumed in its own folder',
  steps: 'the plan counts every step, and a job with fewer or other ones would be taken for a failed one',
  resume: 'the trainer goes on from the newest checkpoint by itself; see coa-distill train resume',
} as const;

/** The plan is worked out from a key of the configuration, which sets it. */
export function setInstead(key: string): string {
  return `the plan is worked out from it; set training.${key} instead`;
}

/** Keys that are refused for one reason; they are given with spaces between them. */
export function refusedFor(reason: string, ...keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(keys.flatMap((line) => line.split(' ')).map((key) => [key, reason]));
}
