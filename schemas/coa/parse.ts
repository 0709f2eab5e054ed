import type { Block } from './layout.ts';
import { gapIssue, type ParseIssue, tagPatterns } from './parseIssue.ts';
import { type Profile, tagOfKind } from './profile.ts';

export interface ParsedBlock extends Block {
  readonly start: number;
  readonly end: number;
}

/** Blocks of a text with all issues. Valid without issues. */
export interface ParsedText {
  readonly blocks: readonly ParsedBlock[];
  readonly issues: readonly ParseIssue[];
}

interface Tag {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Parses a tagged text into blocks, in one linear pass. The inverse of `serializeBlocks` for every text without
 * issues; never throws.
 * @param kept Which issues are kept: of a model's text that is nothing but tags, those of each tag take most of the time
 */
export function parseBlocks(
  profile: Profile,
  text: string,
  kept: 'every_issue' | 'first_of_each_code' = 'every_issue',
): ParsedText {
  const reader = new BlockReader(profile, text, kept === 'every_issue');
  for (const { 0: whole, 1: slash, 2: name = '', index } of text.matchAll(tagPatterns(profile).tag)) {
    const tag = { name, start: index, end: index + whole.length };
    if (slash === '/') reader.close(tag);
    else reader.open(tag);
  }
  return reader.finish();
}

class BlockReader {
  readonly #blocks: ParsedBlock[] = [];
  readonly #issues: ParseIssue[] = [];
  readonly #profile: Profile;
  readonly #observation: string | undefined;
  readonly #text: string;
  readonly #keepsAll: boolean;
  #open: Tag | undefined;
  #cursor = 0;

  constructor(profile: Profile, text: string, keepsAll: boolean) {
    this.#keepsAll = keepsAll;
    this.#profile = profile;
    this.#observation = tagOfKind(profile, 'observation');
    this.#text = text;
  }

  open(tag: Tag): void {
    if (this.#open) {
      this.#issue('nested_tag', tag.start, `<${tag.name}> opens inside <${this.#open.name}>`);
      return;
    }
    this.#gap(tag.start, false);
    this.#open = tag;
  }

  close(tag: Tag): void {
    const open = this.#open;
    if (open?.name !== tag.name) {
      const where = open ? `inside <${open.name}>` : 'without a start tag';
      this.#issue('unexpected_end_tag', tag.start, `</${tag.name}> stands ${where}`);
      return;
    }
    this.#blocks.push({
      tag: tag.name,
      origin: tag.name === this.#observation ? 'environment' : 'model',
      body: this.#text.slice(open.end, tag.start),
      start: open.start,
      end: tag.end,
    });
    this.#open = undefined;
    this.#cursor = tag.end;
  }

  finish(): ParsedText {
    if (this.#open) this.#issue('missing_end_tag', this.#open.start, `<${this.#open.name}> is never closed`);
    else this.#gap(this.#text.length, true);
    if (this.#blocks.length === 0) this.#issue('no_blocks', 0, 'the text holds no tagged block');
    return { blocks: this.#blocks, issues: this.#issues };
  }

  /** Checks the text between the last block and `end` against the layout. */
  #gap(end: number, last: boolean): void {
    const before = this.#blocks.at(-1);
    const expected = before === undefined ? '' : before.origin === 'environment' ? '\n\n' : last ? '' : '\n';
    const gap = this.#text.slice(this.#cursor, end);
    const issue = gapIssue(this.#profile, gap, this.#cursor, expected);
    if (issue) this.#add(issue);
  }

  #issue(code: ParseIssue['code'], offset: number, message: string): void {
    this.#add({ code, offset, message });
  }

  #add(issue: ParseIssue): void {
    if (this.#keepsAll || this.#issues.every(({ code }) => code !== issue.code)) this.#issues.push(issue);
  }
}
