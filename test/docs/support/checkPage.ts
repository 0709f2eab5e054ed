import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { expect, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../../base/json.ts';
import { resolveModels } from '../../../pipeline/config/resolveModels.ts';
import { configSchema } from '../../../schemas/config/config.ts';
import { documentedCommands } from '../../../scripts/renderCommandDocs.ts';
import { freePorts } from '../../support/freePorts.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { type Block, blocksOf, commandsOf, isShown, readPage, repository } from './readPage.ts';
import { startService } from './services.ts';
import { openShell, type Shell, wordsOf } from './shell.ts';

/** Ports that pages name, and others may have taken here: free ones stand in for them. */
const NAMED_PORTS = [8000, 8081, 8765, 9000, 9001, 18087];

/**
 * Does what a page says, block by block, in a project of the page's own.
 *
 * @throws Error at the first block that does not happen as it is shown
 */
export async function checkPage(page: string): Promise<void> {
  const blocks = blocksOf(readPage(page));
  const shell = openShell(temporaryFolder());
  onTestFinished(() => shell.close());
  const ports = new Map((await freePorts(NAMED_PORTS.length)).map((port, at) => [NAMED_PORTS[at]!, port]));
  for (const { marks } of blocks) if (marks.with) await openService(marks.with, shell, ports);
  const here = blocks.map((block) => ({ ...block, text: onPorts(block.text, ports) }));
  for (const { marks, text } of here) if (marks.file) writeFile(join(shell.folder, marks.file), text);
  for (const block of here) {
    try {
      await check(block, shell);
    } catch (error) {
      throw new Error(`${page}:${block.line}: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** Starts the service of a mark such as `eyes at 8000`; the page's commands find it. */
async function openService(mark: string, shell: Shell, ports: Map<number, number>): Promise<void> {
  const [name = '', port] = mark.split(' at ');
  const { env = {}, url } = await startService(name, shell.folder);
  Object.assign(shell.env, env);
  if (url) ports.set(Number(port), Number(new URL(url).port));
}

function onPorts(text: string, ports: ReadonlyMap<number, number>): string {
  return text.replace(/\b\d{4,5}\b/g, (port) => String(ports.get(Number(port)) ?? port));
}

async function check(block: Block, shell: Shell): Promise<void> {
  const { language, text, marks } = block;
  if (marks.before) await runAll(commandsOf({ language: 'sh', text: marks.before }), shell, 0);
  if (marks.file !== undefined && language !== 'yaml') return;
  if (['sh', 'console'].includes(language)) return checkCommands(block, shell);
  if (language === 'yaml') return marks.part === undefined ? checkConfig(text) : undefined;
  if (language === 'json')
    return void text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  if (language === 'ts') return checkProgram(text, shell.folder);
  if (!['text', 'mermaid'].includes(language)) throw new Error(`a block of the language "${language}"`);
}

async function checkCommands(block: Block, shell: Shell): Promise<void> {
  const { marks } = block;
  const commands = commandsOf(block);
  expect(commands.length).toBeGreaterThan(0);
  if (marks['not run'] !== undefined) return void (await Promise.all(commands.map(parsedOnly)));
  if (marks['in the background'] === undefined) return runAll(commands, shell, Number(marks.exits ?? 0));
  const [{ command, output } = commands[0]!] = commands;
  const printed = await shell.start(command, (printed) => isShown(output, printed));
  expectShown(output, printed);
}

async function runAll(
  commands: ReturnType<typeof commandsOf>,
  shell: Shell,
  lastExit: number,
): Promise<void> {
  for (const [at, { command, output }] of commands.entries()) {
    const { code, stdout, stderr } = await shell.run(command);
    const expected = at === commands.length - 1 ? lastExit : 0;
    if (code !== expected) throw new Error(`${command}: exit code ${code}\n${stdout}${stderr}`);
    if (!isShown(output, stdout)) expectShown(output, stderr === '' ? stdout : stderr);
  }
}

function expectShown(output: readonly string[], printed: string): void {
  if (!isShown(output, printed)) expect(printed).toBe(output.join('\n'));
}

/** A file of the page's project. */
function writeFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A part of a configuration is right when it makes the smallest configuration no worse. */
function checkConfig(text: string): void {
  const least = { tasks: { sources: [{ file: 'tasks.jsonl', profile: 'mhqa' }] }, teacher: {} };
  const part = parse(text) as Record<string, object>;
  const value = { ...least, ...part, ...withTools(part) } as JsonObject;
  const resolved = resolveModels({ file: 'coa.yaml', value, lineOf: () => undefined });
  const { error } = configSchema.safeParse(resolved.value);
  if (error) throw new Error(JSON.stringify(error.issues));
}

/** The smallest configuration's profile needs its tool. */
function withTools({ tools = {} }: Record<string, object>): object {
  return { tools: { wiki_search: { corpus: 'passages.jsonl' }, ...tools } };
}

/** A program of the library; it runs in the page's project. */
function checkProgram(text: string, folder: string): void {
  const library = pathToFileURL(join(repository, 'library.ts')).href;
  const file = join(folder, 'program.ts');
  writeFileSync(file, text.replace("'coa-distill'", `'${library}'`));
  const printed = execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
  const promised = [...text.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, words = '']) => words);
  expectShown(promised, printed);
}

/** Commands that can't be run here are parsed: their options must be there. */
export async function parsedOnly({ command }: { readonly command: string }): Promise<void> {
  const words = wordsOf(command.replaceAll(/[*~]/g, 'any'));
  const args = words?.slice(words.indexOf('coa-distill') + 1);
  if (!/^(\w+=\S+ )*(npx )?coa-distill\s/.test(command.trim())) return;
  if (!args) throw new Error(`${command}: more than plain words`);
  await parseArguments(args);
}

/** Parses arguments as the command line does, and does nothing by them. */
async function parseArguments(args: readonly string[]): Promise<void> {
  const commands = await documentedCommands();
  for (const command of commands) command.action(() => {}).configureOutput({ writeErr: () => {} });
  let program: Command = commands[0]!;
  while (program.parent) program = program.parent;
  await program.parseAsync([...args], { from: 'user' });
}
