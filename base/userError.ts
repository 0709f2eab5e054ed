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

  constructor(lines: readonly string[], options?: ErrorOptions) {
    super(lines.join('\n'), options);
    this.lines = lines;
  }
}
