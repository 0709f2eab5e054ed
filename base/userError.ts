/**
 * A mistake of the user, printed as one line with exit code 2. The message names the file, line and field, the
 * expected and the actual value, and the fix.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

/** Several mistakes, printed one per line. */
export class ProblemList extends UserError {
  readonly lines: readonly string[];
  /** Common advice, printed as a last line. */
  readonly advice: string | undefined;

  constructor(lines: readonly string[], advice?: string) {
    super([...lines, ...(advice === undefined ? [] : [advice])].join(lines.length > 1 ? '\n' : '; '));
    this.lines = lines;
    this.advice = advice;
  }
}
