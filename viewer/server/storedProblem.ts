import { ZodError } from 'zod';

/** What to say of an error in reading what a run's folder holds: of settings that another version wrote, which one. */
export function storedProblem(error: Error): string {
  if (!(error instanceof ZodError)) return error.message;
  const [issue] = error.issues;
  const where = issue?.path.join('.');
  return `the settings of this run are damaged, or of another version (${where ? `${where}: ` : ''}${issue?.message})`;
}

/** Reads a part of what a page shows; where it can't be read, `problems` is told, and the rest is shown without it. */
export async function readPart<T>(problems: string[], read: () => T | Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    problems.push(storedProblem(error as Error));
    return otherwise;
  }
}
