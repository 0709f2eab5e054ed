import { normalForm } from '../normalForm.ts';
import type { Origin } from '../trajectory.ts';

/** A tagged piece before serialisation. */
export interface Block {
  readonly tag: string;
  readonly origin: Exclude<Origin, 'prompt'>;
  /** Exact text between the start and end tag. */
  readonly body: string;
}

/**
 * Blocks with the line feeds that belong to them, in the one safe layout (AFM's fork finds observations by token match, and every other spacing fails silently there):
 * a model block ends with one line feed unless it is the last, so that the feed before `<observation>` is the
 * model's; an environment block ends with two, which are the environment's. Tokenising each text on its own and
 * tokenising the whole then give the same ids for Qwen2.5.
 */
export function layOutBlocks(blocks: readonly Block[]): (Block & { readonly text: string })[] {
  return blocks.map((block, index) => {
    const last = index === blocks.length - 1;
    const feed = block.origin === 'environment' ? '\n\n' : last ? '' : '\n';
    return { ...block, text: `<${block.tag}>${block.body}</${block.tag}>${feed}` };
  });
}

/** The text of a whole trajectory. The inverse is `parse`. */
export function serializeBlocks(blocks: readonly Block[]): string {
  return layOutBlocks(blocks)
    .map((block) => block.text)
    .join('');
}

/** Body of an observation: the tool's text on lines of its own. */
export function observationBody(text: string): string {
  return `\n${text}\n`;
}

/** Body of a program: a fenced block, and a second one with stdin if the program reads any. */
export function codeBody(program: string, stdin?: string): string {
  const block = `\n\`\`\`py\n${program}\n\`\`\`\n`;
  return stdin === undefined || stdin === '' ? block : `${block}\`\`\`sh\n${stdin}\n\`\`\`\n`;
}

/**
 * Normalises text for use right after a start tag: Unicode NFC, LF line ends, no lone surrogates. Qwen's tokenizer
 * normalises to NFC, so spans over other text would be off. A leading character that would combine with the preceding
 * `>` gets a space in front.
 */
export function normaliseText(text: string): string {
  const normal = normalForm(text.toWellFormed().replace(/\r\n?/g, '\n'), 'NFC');
  return normalForm(`>${normal}`, 'NFC') === `>${normal}` ? normal : ` ${normal}`;
}
