import type { Block } from './layout.ts';
import type { Profile } from './profile.ts';

/** A block with its place in the text; offsets are UTF-16 code units. */
export interface ParsedBlock extends Block {
  readonly start: number;
  readonly end: number;
}

/** What {@link parse} finds wrong with a text's structure. */
export interface ParseIssue {
  readonly code:
    | 'missing_end_tag'
    | 'unexpected_end_tag'
    | 'nested_tag'
    | 'text_between_tags'
    | 'wrong_layout'
    | 'no_blocks';
  /** UTF-16 code units from the text's start. */
  readonly offset: number;
  readonly message: string;
}

/** A text as blocks, with everything that was wrong with it. Valid when there are no issues. */
export interface Parsed {
  readonly blocks: readonly ParsedBlock[];
  readonly issues: readonly ParseIssue[];
}

interface Tag {
  readonly name: string;
  readonly closing: boolean;
  readonly start: number;
  readonly end: number;
}

/** Reads a tagged text into blocks, in one pass. The inverse of `serialize` for every text without issues. */
export function parse(profile: Profile, text: string): Parsed {
  const reader = new BlockReader(profile, text);
  for (const tag of tagsIn(profile, text)) reader.read(tag);
  return reader.finish();
}

function* tagsIn(profile: Profile, text: string): Generator<Tag> {
  const pattern = new RegExp(`<(/?)(${profile.tags.map((rule) => rule.tag).join('|')})>`, 'g');
  for (const match of text.matchAll(pattern)) {
    const [whole, slash, name = ''] = match;
    yield { name, closing: slash === '/', start: match.index, end: match.index + whole.length };
  }
}

class BlockReader {
  readonly #blocks: ParsedBlock[] = [];
  readonly #issues: ParseIssue[] = [];
  readonly #profile: Profile;
  readonly #text: string;
  #open: Tag | undefined;
  #cursor = 0;

  constructor(profile: Profile, text: string) {
    this.#profile = profile;
    this.#text = text;
  }

  read(tag: Tag): void {
    if (tag.closing) this.#close(tag);
    else this.#start(tag);
  }

  finish(): Parsed {
    if (this.#open) this.#issue('missing_end_tag', this.#open.start, `<${this.#open.name}> is never closed`);
    else this.#gap(this.#text.length, true);
    if (this.#blocks.length === 0) this.#issue('no_blocks', 0, 'the text holds no tagged block');
    return { blocks: this.#blocks, issues: this.#issues };
  }

  #start(tag: Tag): void {
    if (this.#open) {
      this.#issue('nested_tag', tag.start, `<${tag.name}> opens inside <${this.#open.name}>`);
      return;
    }
    this.#gap(tag.start, false);
    this.#open = tag;
  }

  #close(tag: Tag): void {
    const open = this.#open;
    if (open?.name !== tag.name) {
      const where = open ? `inside <${open.name}>` : 'without a start tag';
      this.#issue('unexpected_end_tag', tag.start, `</${tag.name}> stands ${where}`);
      return;
    }
    const environment = this.#profile.tags.some(
      (rule) => rule.tag === tag.name && rule.kind === 'observation',
    );
    this.#blocks.push({
      tag: tag.name,
      origin: environment ? 'environment' : 'model',
      body: this.#text.slice(open.end, tag.start),
      start: open.start,
      end: tag.end,
    });
    this.#open = undefined;
    this.#cursor = tag.end;
  }

  /** Checks the white space between the last block and `end` against the layout. */
  #gap(end: number, last: boolean): void {
    const gap = this.#text.slice(this.#cursor, end);
    const before = this.#blocks.at(-1);
    const expected = before === undefined ? '' : before.origin === 'environment' ? '\n\n' : last ? '' : '\n';
    if (gap === expected) return;
    const code = gap.trim() === '' ? 'wrong_layout' : 'text_between_tags';
    this.#issue(
      code,
      this.#cursor,
      `expected ${JSON.stringify(expected)} here, found ${JSON.stringify(gap.slice(0, 60))}`,
    );
  }

  #issue(code: ParseIssue['code'], offset: number, message: string): void {
    this.#issues.push({ code, offset, message });
  }
}
