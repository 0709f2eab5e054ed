/** Markup that is safe to put into a page. Only {@link html} and {@link trusted} make it. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** What may stand in a hole of {@link html}; false and undefined leave it empty. */
export type HtmlValue = Html | string | number | false | undefined | readonly HtmlValue[];

/** A template whose holes are escaped, unless they hold markup made by another template. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.reduce((page, part, at) => page + markupOf(values[at - 1]) + part));
}

/** Text of our own that needs no escaping, for instance a style sheet. Never for anything that was read. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

function markupOf(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(markupOf).join('');
  return escapeHtml(String(value));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Text as it may stand in an element or a quoted attribute. Characters that HTML has no place for are shown by their
 * pictures (U+2400 and on), and so are the ones that turn the direction of what follows.
 */
export function escapeHtml(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/[&<>"']/g, (character) => entities[character]!)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
      .replace(/[\u0000-\u0008\u000b-\u001f]/g, (character) =>
        String.fromCharCode(0x2400 + character.charCodeAt(0)),
      )
      .replace(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
  );
}
