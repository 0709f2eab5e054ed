import { CommanderError, type Command as PlainCommand } from 'commander';
import { packageVersion } from '../base/packageVersion.ts';
import { Command, type CommandFacts } from './command.ts';
import { commandTable } from './commandTable.ts';
import { addCompletion, completionCommand } from './completion.ts';
import { readOutputMode } from './outputMode.ts';

/** Commands of each group of the table, loaded on demand. */
const commandFiles: Readonly<
  Record<
    keyof typeof commandTable,
    () => Promise<{ readonly commands: Readonly<Record<string, CommandFacts>> }>
  >
> = {
  Make: () => import('./commands/make.ts'),
  Look: () => import('./commands/look.ts'),
  'Clean files': () => import('./commands/clean.ts'),
  'Train and evaluate': () => import('./commands/learn.ts'),
  Serve: () => import('./commands/serve.ts'),
  Machines: () => import('./commands/machines.ts'),
};

/**
 * Runs the command line.
 *
 * @param argv arguments without the program's name
 * @returns the exit code: 0 success, 1 failure, 2 user error, 3 budget reached, 130 and 143 after Ctrl-C and SIGTERM
 */
export async function main(argv: string[]): Promise<number> {
  quietBrokenPipe();
  readOutputMode(argv);
  try {
    if (isVersionAsJson(argv)) return printVersion();
    const program = await createProgram(callsIn(argv));
    if (argv[0] === 'complete') await addCompletion(program, argv);
    else program.addCommand(completionCommand());
    await program.parseAsync(argv, { from: 'user' });
    return program.exitCode;
  } catch (error) {
    // Commander has printed its message; help and version are not errors.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { explainFailure } = await import('./explainFailure.ts');
    return explainFailure(error, argv.includes('--debug'));
  }
}

/** Tests which commands some arguments call; completion needs all. */
function callsIn(argv: readonly string[]): (name: string) => boolean {
  const words = argv.filter((word) => !word.startsWith('-'));
  const called = words[0] === 'help' ? words[1] : words[0];
  return (name) => called === 'complete' || called === name;
}

function isVersionAsJson(argv: readonly string[]): boolean {
  return argv.length === 2 && argv.includes('--version') && argv.includes('--json');
}

function printVersion(): number {
  const { version: node, platform, arch } = process;
  console.log(JSON.stringify({ version: packageVersion(), node: node.slice(1), platform, arch }));
  return 0;
}

/**
 * Builds the command line without completion.
 *
 * @param isCalled selects the commands to load; only the program's help is known of others. Default: all
 */
export async function createProgram(isCalled: (name: string) => boolean = () => true): Promise<Command> {
  const program = new Command('coa-distill', {
    examples: {
      'coa-distill init --profile web': 'a commented configuration to start from',
      'coa-distill run': 'the configuration ./coa.yaml, or resume one that was interrupted',
      'coa-distill status coa': 'how far it is',
    },
  })
    .description('Makes Chain-of-Agents training data: tasks in, trainer-ready dataset out.')
    .version(packageVersion(), '-V, --version', 'print the version; with --json also that of Node')
    // `train status X --json`: options belong to the command before them.
    .enablePositionalOptions();
  for (const [group, rows] of Object.entries(commandTable)) {
    program.commandsGroup(`${group}:`);
    for (const [usage, description] of Object.entries(rows)) {
      const [name, ...takes] = usage.split(' ') as [string, ...string[]];
      const facts = isCalled(name)
        ? (await commandFiles[group as keyof typeof commandFiles]()).commands[name]
        : { arguments: Object.fromEntries(takes.map((argument) => [argument, ''])) };
      program.addCommand(new Command(name, { ...facts, description }));
    }
  }
  program.commandsGroup('Help:');
  return throwing(program);
}

/** Makes commands throw instead of exiting, and adds the print options. */
function throwing<Called extends PlainCommand>(command: Called): Called {
  for (const child of command.commands) throwing(child);
  command
    .option('--quiet', 'print results and errors alone, no progress')
    .option('--no-color', 'print without colours, as with NO_COLOR=1')
    .option('--debug', 'print the stack of an error');
  return command.exitOverride();
}

/** Lets `coa-distill ... | head` end without an error; a run continues if its progress is not read. */
function quietBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    console.error(`error: the output can't be written (${error.code ?? error.message})`);
    process.exit(1);
  });
  process.stderr.on('error', () => {});
}
