import { Command as PlainCommand } from 'commander';

type Example = readonly [command: string, meaning: string];

/** A command whose help can end with examples. */
export class Command extends PlainCommand {
  examples(...lines: readonly Example[]): this {
    return this.addHelpText('after', renderExamples(lines));
  }
}

/** The examples below a command's help, each with what it does. */
export function renderExamples(lines: readonly Example[]): string {
  const width = Math.max(...lines.map(([command]) => command.length));
  const rows = lines.map(([command, meaning]) => `  ${command.padEnd(width)}  ${meaning}`);
  return ['', 'Examples:', ...rows].join('\n');
}
