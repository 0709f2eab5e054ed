import { Argument, InvalidArgumentError, Option, Command as PlainCommand } from 'commander';
import { allowedNames, sameName } from '../base/nearestName.ts';

/** How the value of an argument or option is read. */
interface Reading {
  readonly parse?: (text: string, before: never) => unknown;
  readonly choices?: readonly string[];
  readonly default?: unknown;
  /** Name of the option, or of those, that it can't stand beside. */
  readonly conflicts?: string | string[];
  /** Of an option that the command can't do without. */
  readonly required?: true;
}

/** What a command takes, by its flags or its name: what the help says of it, and how it is read. */
export type Taken = Readonly<Record<string, string | readonly [help: string, reading: Reading]>>;

/** A command as data. */
export interface CommandFacts {
  /** Of a command below another; the program's table has those of its own. */
  readonly description?: string;
  readonly usage?: string;
  readonly arguments?: Taken;
  readonly options?: Taken;
  /** Whether its result can be printed as JSON, by `--json`. */
  readonly json?: true;
  /** What each example does, by its command line. */
  readonly examples?: Readonly<Record<string, string>>;
  readonly commands?: Readonly<Record<string, CommandFacts>>;
  /**
   * Loads what the command does when it is called: a function that gets the arguments and then the options; a number
   * that it returns is the exit code.
   */
  readonly runs?: () => Promise<(...given: never[]) => Promise<unknown>>;
}

/** A command of the program. */
export class Command extends PlainCommand {
  /** Of the program: the exit code of the command that was called. */
  exitCode = 0;

  constructor(name: string, facts: CommandFacts = {}) {
    super(name);
    const { description, usage, arguments: args = {}, options = {}, examples, commands = {}, runs } = facts;
    if (description !== undefined) this.description(description);
    if (usage !== undefined) this.usage(usage);
    for (const [flags, taken] of Object.entries(args)) this.addArgument(made(Argument, flags, taken));
    for (const [flags, taken] of Object.entries(options)) this.addOption(made(Option, flags, taken));
    if (facts.json) this.option('--json', 'print the result as JSON');
    for (const [child, of] of Object.entries(commands)) this.addCommand(new Command(child, of));
    // Options behind a command below belong to that command.
    if (facts.commands) this.enablePositionalOptions();
    if (examples) this.addHelpText('after', renderExamples(examples));
    if (runs) this.action((...given) => this.#work(runs, given.slice(0, -1)));
  }

  async #work(runs: NonNullable<CommandFacts['runs']>, given: readonly unknown[]): Promise<void> {
    // Not before: help needs none of it.
    await import('../capabilities.ts');
    const code = await (await runs())(...(given as never[]));
    let program: PlainCommand = this;
    while (program.parent) program = program.parent;
    if (typeof code === 'number' && program instanceof Command) program.exitCode = code;
  }
}

function made<Of extends Argument | Option>(
  Kind: new (flags: string, help: string) => Of,
  flags: string,
  taken: Taken[string],
): Of {
  const [help, { parse, choices, default: fallback, conflicts, required }] =
    typeof taken === 'string' ? [taken, {} as Reading] : taken;
  const one = new Kind(flags, help);
  if (choices) readChoice(one.choices(choices), choices);
  if (parse) one.argParser(parse as Parameters<typeof one.argParser>[0]);
  if (fallback !== undefined) one.default(fallback);
  if (one instanceof Option && conflicts) one.conflicts(conflicts);
  if (one instanceof Option && required) one.makeOptionMandatory();
  return one;
}

/** Takes a choice with other dashes or capitals too, and refuses an unknown one with the nearest. */
function readChoice(one: Argument | Option, choices: readonly string[]): void {
  const take = one.parseArg as (text: string, before: unknown) => unknown;
  one.argParser((text: string, before: unknown) => {
    const choice = sameName(text, choices);
    if (choice === undefined) throw new InvalidArgumentError(allowedNames(text, choices));
    return take.call(one, choice, before);
  });
}

/** The examples below a command's help, each with what it does. */
export function renderExamples(examples: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(examples).map(({ length }) => length));
  const rows = Object.entries(examples).map(([command, meaning]) => `  ${command.padEnd(width)}  ${meaning}`);
  return ['', 'Examples:', ...rows].join('\n');
}
