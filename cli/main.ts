import { availableParallelism } from 'node:os';
import { Command, CommanderError } from 'commander';
import { packageVersion } from '../base/packageVersion.ts';
import { threadLimit } from '../base/threads/threadLimit.ts';
import { auditCommand } from './commands/audit.ts';
import { balanceCommandLine } from './commands/balance.ts';
import { cacheCommand } from './commands/cache.ts';
import { compareCommand } from './commands/compare.ts';
import { decontaminateCommandLine } from './commands/decontaminate.ts';
import { dedupCommandLine } from './commands/dedup.ts';
import { doctorCommand } from './commands/doctor.ts';
import { evaluateCommand } from './commands/evaluate.ts';
import { exportCommand } from './commands/export.ts';
import { fetchCommand } from './commands/fetch.ts';
import { filterCommandLine } from './commands/filter.ts';
import { forecastCommand } from './commands/forecast.ts';
import { grammarCommand } from './commands/grammar.ts';
import { importCommand } from './commands/import.ts';
import { initCommand } from './commands/init.ts';
import { judgeCommand } from './commands/judge.ts';
import { lintCommand } from './commands/lint.ts';
import { pushCommand } from './commands/push.ts';
import { reportCommand } from './commands/report.ts';
import { runCommand } from './commands/run.ts';
import { runsCommand } from './commands/runs.ts';
import { statusCommand } from './commands/status.ts';
import { teacherCommand } from './commands/teacher.ts';
import { toolsCommand } from './commands/tools.ts';
import { trainCommand } from './commands/train.ts';
import { whyCommand } from './commands/why.ts';
import { addCompletion, completionCommand } from './completion.ts';
import { examples } from './examples.ts';
import { explainFailure } from './explainFailure.ts';
import type { ThreadOptions } from './optionParsers.ts';
import { readOutputMode } from './outputMode.ts';

/**
 * Runs the command line.
 *
 * @param argv arguments without the program's name
 * @returns the exit code: 0 done, 1 failure, 2 the user's mistake, 3 the budget is spent, 130 and 143 after Ctrl-C and SIGTERM
 */
export async function main(argv: string[]): Promise<number> {
  let exitCode = 0;
  const done = (code: number): void => {
    exitCode = code;
  };
  const program = createProgram(done);
  quietBrokenPipe();
  readOutputMode(argv);
  try {
    if (isVersionAsJson(argv)) return printVersion();
    if (argv[0] === 'complete') await addCompletion(program);
    else program.addCommand(completionCommand());
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed its message; help and version are no mistakes.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return explainFailure(error, argv.includes('--debug'));
  }
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
 * The command line with all its commands, completion left out.
 *
 * @param done takes a command's exit code
 */
export function createProgram(done: (code: number) => void): Command {
  const program = new Command('coa-distill')
    .description('Makes Chain-of-Agents training data: tasks in, trainer-ready dataset out.')
    .version(packageVersion(), '-V, --version', 'print the version; with --json also that of Node')
    // `train status X --json`: options belong to the command they stand behind.
    .enablePositionalOptions()
    .addHelpText(
      'after',
      examples([
        ['coa-distill init --profile web', 'a commented configuration to start from'],
        ['coa-distill run', 'the configuration ./coa.yaml, or resume one that was interrupted'],
        ['coa-distill status coa', 'how far it is'],
      ]),
    )
    .hook('preAction', (_, command) => {
      threadLimit.threads = command.opts<ThreadOptions>().threads ?? availableParallelism();
    });
  const commands = [
    initCommand(),
    runCommand(done),
    forecastCommand(),
    runsCommand(),
    statusCommand(done),
    reportCommand(),
    compareCommand(),
    whyCommand(),
    cacheCommand(),
    importCommand(done),
    exportCommand(),
    fetchCommand(),
    pushCommand(),
    filterCommandLine(done),
    dedupCommandLine(),
    decontaminateCommandLine(),
    balanceCommandLine(),
    trainCommand(done),
    evaluateCommand(done),
    judgeCommand(),
    lintCommand(done),
    auditCommand(done),
    grammarCommand(),
    teacherCommand(done),
    toolsCommand(done),
    doctorCommand(done),
  ];
  for (const command of commands) program.addCommand(command);
  return throwing(program);
}

/** Commands throw instead of ending the process, and all of them know the options of how to print. */
function throwing(command: Command): Command {
  for (const child of command.commands) throwing(child);
  command
    .option('--quiet', 'print results and errors alone, no progress')
    .option('--no-color', 'print without colours, as with NO_COLOR=1')
    .option('--debug', 'print the stack of an error');
  return command.exitOverride();
}

/** `coa-distill ... | head` ends without a complaint; a run goes on when nobody reads how far it is. */
function quietBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    console.error(`error: the output can't be written (${error.code ?? error.message})`);
    process.exit(1);
  });
  process.stderr.on('error', () => {});
}
