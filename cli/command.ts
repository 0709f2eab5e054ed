import { Command as PlainCommand } from 'commander';

type Example = readonly [command: string, meaning: string];

/** A command whose help can end with examples, and whose work is loaded when it is called. */
export class Command extends PlainCommand {
  /** Of the program: the exit code of the command that was called. */
  exitCode = 0;

  examples(...lines: readonly Example[]): this {
    return this.addHelpText('after', renderExamples(lines));
  }

  /**
   * Sets what the command does: a function that is loaded when the command is called. It gets the arguments and then the
   * options; a number that it returns is the exit code.
   */
  runs<Given extends unknown[]>(load: () => Promise<(...given: Given) => Promise<unknown>>): this {
    return this.action(async (...given) => {
      const work = await load();
      const code = await work(...(given.slice(0, -1) as Given));
      let program: PlainCommand = this;
      while (program.parent) program = program.parent;
      if (typeof code === 'number' && program instanceof Command) program.exitCode = code;
    });
  }
}

/** The examples below a command's help, each with what it does. */
export function renderExamples(lines: readonly Example[]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  const rows = lines.map(([command, meaning]) => `  ${command.padEnd(width)}  ${meaning}`);
  return ['', 'Examples:', ...rows].join('\n');
}
