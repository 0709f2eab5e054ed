/** What can be wrong with a text's structure, and how bad it is. A text is valid when it has no issue at all. */
export const parseSeverities = {
  missing_end_tag: 'error',
  unexpected_end_tag: 'error',
  nested_tag: 'error',
  /** Words that no agent owns. */
  text_between_tags: 'error',
  /** A tag between blocks that the profile does not have. */
  unknown_tag: 'error',
  /** A tag of the profile between blocks, in the wrong case or with spaces in it. */
  wrong_case_tag: 'error',
  /** Only white space between blocks, but not that of the safe layout. */
  wrong_layout: 'warning',
  no_blocks: 'error',
} as const;

/** Something that `parse` finds wrong with a text's structure. Line and column: see `lineColumns`. */
export interface ParseIssue {
  readonly code: keyof typeof parseSeverities;
  readonly severity: 'error' | 'warning';
  /** UTF-16 code units from the text's start. */
  readonly offset: number;
  readonly message: string;
}

/** An issue with the severity of its code. */
export function parseIssue(code: ParseIssue['code'], offset: number, message: string): ParseIssue {
  return { code, severity: parseSeverities[code], offset, message };
}
