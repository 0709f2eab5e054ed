import type { z } from 'zod';
import { UserError } from '../contract/errors.ts';

/**
 * Parses JSON that a run folder holds.
 *
 * @throws Error that says in one line what is wrong with it
 */
export function parseStored<T>(schema: z.ZodType<T>, text: string): T {
  const parsed = schema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${issue?.path.join('.')}: ${issue?.message}`);
}

/** What to say of a line of a stage's journal that is not what the stage wrote. */
export function damagedLine(path: string, line: number, stage: string, why: string): UserError {
  return new UserError(
    `${path}:${line}: damaged, or of another version (${why}); redo the stage with --from ${stage}, or restore the file`,
  );
}
