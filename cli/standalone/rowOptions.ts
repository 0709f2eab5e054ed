import { Option } from 'commander';
import { Command } from '../command.ts';
import { gathered, threadsOption } from '../optionParsers.ts';

export interface RowOptions {
  readonly out?: string;
  readonly ledger?: string;
  readonly config?: string;
  readonly set?: readonly string[];
  readonly onBadRow: 'stop' | 'drop';
  readonly json?: true;
}

/** The same, of commands that look at a row's profile. */
export interface ProfiledRowOptions extends RowOptions {
  readonly profile?: string;
}

/** A command on dataset files that looks at the questions of their rows, or on files of tasks. */
export function questionsCommand(name: string): Command {
  return new Command(name)
    .argument(
      '<file...>',
      'files of rows, folders or patterns: alpaca, sharegpt, trajectories or tasks; - for JSONL from a pipe',
    )
    .option('--column <name>', 'where the question stands, dots reach into objects; default: by the layout');
}

/** Adds the options that every command on dataset files has. */
export function withRowOptions(command: Command): Command {
  return command
    .option('--out <file>', 'where rows that stay go, as they came in; - for standard output')
    .option('--ledger <file>', 'what became of the other rows; default: OUT.ledger.jsonl')
    .option('--config <file>', 'configuration to take settings from; its tasks and teacher are not looked at')
    .option('--set <key=value>', 'a setting over that of the configuration; may be repeated', gathered)
    .addOption(
      new Option(
        '--on-bad-row <what>',
        'rows that are not JSON or have an unknown layout: stop, or leave them out',
      )
        .choices(['stop', 'drop'])
        .default('stop'),
    )
    .addOption(threadsOption())
    .option('--json', 'print the counts as JSON');
}

/** Adds `--profile`. */
export function withProfile(command: Command): Command {
  return command.option(
    '--profile <name>',
    "profile of all rows; default: the row's own, or guessed from its tags",
  );
}
