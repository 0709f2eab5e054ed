/** Lines shown where there is no Python error. */
const LAST_LINES = 12;
/** Lines of an error's own message: some carry a table. */
const MESSAGE_LINES = 12;
/** Lines of the call stack above it. */
const STACK_LINES = 4;
/** What Python writes between two errors of which one led to the other. */
const chained = /^(During handling of the above exception|The above exception was the direct cause)/;
const MAX_CHARS = 3_000;

/** What torchrun and its kind say of a worker's end; the worker itself said why. */
const launcherErrors = /ChildFailedError|^torch\.distributed\.elastic\.multiprocessing|CalledProcessError/;

/**
 * A trainer's own last words: the last error that Python printed, with the end of its call stack, but not the one by
 * which a launcher only says that a worker failed; the last lines where there is no such error.
 *
 * @param lines what was printed, as {@link plainConsole} gives it
 */
export function lastWords(lines: readonly string[]): string {
  const errors = pythonErrors(lines);
  const error = errors.findLast(({ message }) => !launcherErrors.test(message[0]!)) ?? errors.at(-1);
  const words = error
    ? [...rootsOf(error, errors), ...error.stack, ...error.message]
    : lines.slice(-LAST_LINES);
  return words.join('\n').slice(-MAX_CHARS);
}

/** The errors that led to one, the first of them first: often it alone says what was wrong. */
function rootsOf(error: PythonError, errors: readonly PythonError[]): string[] {
  const at = errors.indexOf(error);
  const first = errors.findLastIndex(({ isChained }, n) => n <= at && !isChained);
  return errors.slice(first, at).map(({ message }) => message[0]);
}

interface PythonError {
  /** Python says that it came of the error before. */
  readonly isChained: boolean;
  readonly stack: readonly string[];
  readonly message: readonly [string, ...string[]];
}

/** Errors as Python prints them: the stack is indented, the message that follows begins at the margin. */
function pythonErrors(lines: readonly string[]): PythonError[] {
  return lines.flatMap((line, at) => {
    if (!line.startsWith('Traceback (most recent call last):')) return [];
    const length = lines.slice(at + 1).findIndex((next) => !/^\s/.test(next));
    if (length < 0) return [];
    const messageAt = at + 1 + length;
    const end = lines.findIndex((next, i) => i > messageAt && isOther(next));
    const message = lines.slice(messageAt, Math.min(end < 0 ? lines.length : end, messageAt + MESSAGE_LINES));
    const stack = lines.slice(Math.max(at + 1, messageAt - STACK_LINES), messageAt);
    return [
      { isChained: chained.test(lines[at - 1] ?? ''), stack, message: message as [string, ...string[]] },
    ];
  });
}

/** A line that no longer belongs to an error's message: another error, or the log going on. */
function isOther(line: string): boolean {
  return /^(Traceback|During handling|The above exception|\[(INFO|WARNING|ERROR)|[WEI]\d{4} |\d{4}-\d\d-\d\d |Exception ignored)/.test(
    line,
  );
}
