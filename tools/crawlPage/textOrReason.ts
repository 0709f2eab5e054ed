/** The text of a page, or why there is none. */
export type TextOrReason =
  | { readonly ok: true; readonly text: string; readonly cut: boolean }
  | { readonly ok: false; readonly reason: string };
