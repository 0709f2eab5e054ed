/**
 * The user's mistake: printed as one line, exit code 2. The message names the file, line and field, what was
 * expected, what came and what to do.
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
}

/** Several mistakes at once: printed one a line. */
export class ProblemList extends UserError {
  readonly lines: readonly string[];
  /** What holds for all of them, as a last line. */
  readonly advice: string | undefined;

  constructor(lines: readonly string[], advice?: string) {
    super([...lines, ...(advice === undefined ? [] : [advice])].join(lines.length > 1 ? '\n' : '; '));
    this.lines = lines;
    this.advice = advice;
  }
}
