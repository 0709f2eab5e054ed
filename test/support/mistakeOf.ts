import { expect } from 'vitest';
import { UserError } from '../../base/userError.ts';

/** What the user is told of a mistake that work ends with. */
export async function mistakeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UserError);
  return (error as UserError).message;
}
