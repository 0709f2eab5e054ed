import type { Argument, Command, Option } from 'commander';
import { completionCommand } from '../cli/completion.ts';
import { createProgram } from '../cli/main.ts';

const intro = `# Commands

\`\`\`sh
coa-distill run --help
\`\`\`

This page is made from the commands' own help by \`npm run docs\`. \`coa-distill COMMAND --help\` prints the same.

Every command knows \`--help\`; \`--json\`, which prints the result as JSON, where there is one; \`--quiet\`, which prints results and errors without progress; \`--no-color\`, as \`NO_COLOR=1\` does; and \`--debug\`, which prints the stack of an error. What a command's exit code means: [exit codes](exit-codes.md).
`;

/** In the intro, so not told again for each command. */
const TOLD_ONCE = ['--debug', '--help', '--json', '--quiet', '--no-color'];

/** The page `docs/commands.md`: every command that does something, from its help. */
export async function renderCommandDocs(): Promise<string> {
  const commands = await documentedCommands();
  const list = commands.map((command) => {
    const name = fullName(command);
    return `| [\`${name}\`](#${name.replaceAll(' ', '-')}) | ${cell(command.description())} |`;
  });
  const contents = ['| command | what it does |', '|---|---|', ...list, ''].join('\n');
  return [intro, contents, ...commands.map(section)].join('\n');
}

/** Every command that can be started, completion too. */
export async function documentedCommands(): Promise<Command[]> {
  const program = await createProgram();
  program.addCommand(completionCommand().exitOverride());
  return leaves(program);
}

/** A command such as `train` has others below it and can be started too. */
function leaves(command: Command): Command[] {
  const below = command.commands.flatMap(leaves);
  const isStarted = command.parent !== null && (below.length === 0 || command.registeredArguments.length > 0);
  return isStarted ? [command, ...below] : below;
}

/** The lines below `Examples:` in a command's help, cut into command and meaning. */
export function helpExamples(command: Command): { command: string; meaning: string }[] {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const [, lines = ''] = help.split('\nExamples:\n');
  return lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [example = '', ...meaning] = line.trim().split(/ {2,}/);
      return { command: example, meaning: meaning.join(' ') };
    });
}

function section(command: Command): string {
  const name = fullName(command);
  const options = command.options.filter(({ long, hidden }) => !hidden && !TOLD_ONCE.includes(long ?? ''));
  const examples = helpExamples(command).map(({ command: example, meaning }) =>
    meaning === '' ? example : `${example}   # ${meaning}`,
  );
  return [
    `## ${name}`,
    '',
    `${command.description()}.`,
    '',
    '```text',
    `coa-distill ${name} ${command.usage().replace('[command] ', '')}`,
    '```',
    '',
    ...(examples.length > 0 ? ['```sh', ...examples, '```', ''] : []),
    ...table('argument', command.registeredArguments.map(argumentRow)),
    ...table('option', options.map(optionRow)),
  ].join('\n');
}

function table(kind: string, rows: readonly string[]): string[] {
  if (rows.length === 0) return [];
  return [`| ${kind} | meaning | default |`, '|---|---|---|', ...rows, ''];
}

function argumentRow(argument: Argument): string {
  const dots = argument.variadic ? '...' : '';
  const shown = argument.required ? `<${argument.name()}${dots}>` : `[${argument.name()}${dots}]`;
  return row(shown, argument.description, argument.argChoices, argument.defaultValue);
}

function optionRow({ flags, description, argChoices, defaultValue }: Option): string {
  return row(flags, description, argChoices, defaultValue);
}

function row(
  shown: string,
  description: string,
  choices: readonly string[] | undefined,
  fallback: unknown,
): string {
  const allowed = choices ? `${description === '' ? '' : '; '}one of ${choices.map(code).join(', ')}` : '';
  const isSaid = fallback !== undefined && !(Array.isArray(fallback) && fallback.length === 0);
  return `| ${code(shown)} | ${cell(description)}${allowed} | ${isSaid ? code(String(fallback)) : ''} |`;
}

function fullName(command: Command): string {
  const above = command.parent?.parent ? `${fullName(command.parent)} ` : '';
  return `${above}${command.name()}`;
}

/** A text in a table: angle brackets would be read as HTML. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}

function code(text: string): string {
  return `\`${text.replaceAll('|', '\\|')}\``;
}
