import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** A fenced block of a page, with what the comments right before it say of it. */
export interface Block {
  /** Line of the page on which its fence stands, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly marks: Marks;
}

/**
 * What comments before a block say. Readers do not see them.
 *
 * - `<!-- before: COMMANDS -->` are run first, one a line
 * - `<!-- file: NAME -->` the block is a file of the page's project, there from the start
 * - `<!-- with: NAME -->` starts a local service first; `NAME at PORT` where the page names its port
 * - `<!-- exits: CODE -->` is the exit code of the block's last command, 0 where absent
 * - `<!-- in the background -->` its only command goes on until the page ends
 * - `<!-- not run: REASON -->` its commands are parsed, not run
 * - `<!-- part: REASON -->` it is no configuration by itself
 */
export type Marks = Readonly<Partial<Record<MarkName, string>>>;

const MARK_NAMES = ['before', 'file', 'with', 'exits', 'in the background', 'not run', 'part'] as const;
type MarkName = (typeof MARK_NAMES)[number];

/** The text of a page, named from the repository's folder. */
export function readPage(page: string): string {
  return readFileSync(new URL(page, `file://${repository}`), 'utf8');
}

/**
 * The fenced blocks of a page in their order.
 *
 * @throws Error for a comment before a block that is no mark, and for a fence that is never closed
 */
export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split('\n');
  let marks: Partial<Record<MarkName, string>> = {};
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at]!;
    const fence = /^( *)(```+)(\w*)/.exec(line);
    if (fence) {
      const [, indent = '', ticks = '', language = ''] = fence;
      const end = lines.indexOf(`${indent}${ticks}`, at + 1);
      if (end < 0) throw new Error(`line ${at + 1}: the block is never closed`);
      const body = lines.slice(at + 1, end).map((text) => text.replace(indent, ''));
      blocks.push({ line: at + 1, language, text: `${body.join('\n')}\n`, marks });
      at = end;
      marks = {};
    } else if (line.startsWith('<!--')) {
      const end = lines.findIndex((text, from) => from >= at && text.endsWith('-->'));
      const comment = lines
        .slice(at, end + 1)
        .join('\n')
        .slice(4, -3)
        .trim();
      marks = { ...marks, ...markOf(comment, at + 1) };
      at = end;
    } else if (line.trim() !== '') marks = {};
  }
  return blocks;
}

function markOf(comment: string, line: number): Marks {
  const name = MARK_NAMES.find((mark) => comment === mark || comment.startsWith(`${mark}:`));
  if (!name) throw new Error(`line ${line}: the comment "${comment}" is no mark`);
  return { [name]: comment.slice(name.length + 1).trim() };
}

/** A command of a block, and the lines that the page shows below it. */
export interface ShownCommand {
  readonly command: string;
  readonly output: readonly string[];
}

/** The commands of a block `sh` (one a line) or `console` (behind `$`, with what they print). */
export function commandsOf({ language, text }: Pick<Block, 'language' | 'text'>): ShownCommand[] {
  const commands: { command: string; output: string[] }[] = [];
  let continues = false;
  for (const line of text.trimEnd().split('\n')) {
    const isCommand = language === 'console' ? line.startsWith('$ ') : true;
    if (continues) commands.at(-1)!.command += `\n${line}`;
    else if (isCommand) commands.push({ command: line.replace(/^\$ /, ''), output: [] });
    else if (commands.length > 0) commands.at(-1)!.output.push(line);
    continues = (continues || isCommand) && line.endsWith('\\');
  }
  return commands.filter(({ command }) => command.replace(/#.*/, '').trim() !== '');
}

/**
 * Whether a program printed what a page shows. A line `...` or `…` stands for any lines, `…` within a line for any
 * text, and times differ from machine to machine.
 */
export function isShown(shown: readonly string[], printed: string): boolean {
  const lines = shown.map((line) =>
    /^(\.\.\.|…)$/.test(line.trim())
      ? '(?:.*\\n)*?'
      : `${line
          .split('…')
          .map((part) => withoutTimes(part).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
          .join('.*')}\\s*\\n`,
  );
  const text = printed.split('\n').map(withoutTimes).join('\n');
  return new RegExp(`^(?:.*\\n)*?${lines.join('')}`).test(`${text}\n`);
}

function withoutTimes(line: string): string {
  return line
    .replace(/\b[\d.]+ ?(s|ms)\b/g, 'TIME')
    .replace(/"(ms|processing_time)":[\d.]+/g, '"$1":TIME')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
}
