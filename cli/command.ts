import { Argument, InvalidArgumentError, Option, Command as PlainCommand } from 'commander';
import { allowedNames, sameName } from '../base/nearestName.ts';

interface Reading {
  readonly parse?: (text: string, before: never) => unknown;
  readonly choices?: readonly string[];
  readonly default?: unknown;
  /** Options that cannot be combined with it. */
  readonly conflicts?: string | string[];
  /** Set for a mandatory option. */
  readonly required?: true;
}

/** Arguments and options of a command by name or flags, with help text and parser. */
export type Taken = Readonly<Record<string, string | readonly [help: string, reading: Reading]>>;

export interface CommandFacts {
  /** Only for subcommands; the program's table describes top-level commands. */
  readonly description?: string;
  readonly usage?: string;
  readonly arguments?: Taken;
  readonly options?: Taken;
  /** Set if the command supports `--json`. */
  readonly json?: true;
  readonly examples?: Readonly<Record<string, string>>;
  readonly commands?: Readonly<Record<string, CommandFacts>>;
  /**
   * Loads the command's implementation on demand: a function of the arguments and then the options, which may return an
   * exit code.
   */
  readonly runs?: () => Promise<(...given: never[]) => Promise<unknown>>;
}

export class Command extends PlainCommand {
  /** Exit code of the executed command, on the program itself. */
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
    // Options after a subcommand belong to that subcommand.
    if (facts.commands) this.enablePositionalOptions();
    if (examples) this.addHelpText('after', renderExamples(examples));
    if (runs) this.action((...given) => this.#work(runs, given.slice(0, -1)));
  }

  async #work(runs: NonNullable<CommandFacts['runs']>, given: readonly unknown[]): Promise<void> {
    // Loaded late, since help does not need it.
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

/** Accepts choices with other dashes or case, and suggests the nearest for an unknown one. */
function readChoice(one: Argument | Option, choices: readonly string[]): void {
  const take = one.parseArg as (text: string, before: unknown) => unknown;
  one.argParser((text: string, before: unknown) => {
    const choice = sameName(text, choices);
    if (choice === undefined) throw new InvalidArgumentError(allowedNames(text, choices));
    return take.call(one, choice, before);
  });
}

/** Examples section of a command's help. */
export function renderExamples(examples: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(examples).map(({ length }) => length));
  const rows = Object.entries(examples).map(([command, meaning]) => `  ${command.padEnd(width)}  ${meaning}`);
  return ['', 'Examples:', ...rows].join('\n');
}
