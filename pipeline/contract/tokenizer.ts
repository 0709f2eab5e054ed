/** Turns text into ids. Encoding never yields control tokens, whatever the text holds. */
export interface Tokenizer {
  /** For instance `qwen2.5`, or the file's name. */
  readonly name: string;
  /** SHA-256 of the `tokenizer.json` it was made from. */
  readonly sha256: string;
  /** Which program encodes; written into the manifest. */
  readonly encoder: 'tiktoken' | 'tokenizers';
  /** Literal texts that trainers turn into control ids wherever they stand, so that no row may hold one. */
  readonly addedTokens: readonly string[];
  /** Ids of ordinary text. Throws `RecordFailure` for text that the tokenizer would normalise into another. */
  encode(text: string): Promise<Uint32Array>;
  /** Text of ids, control tokens included as their literal text. */
  decode(ids: Uint32Array): Promise<string>;
  /** The id of an added token such as `<|im_end|>`; throws `UserError` when the tokenizer has none. */
  controlId(token: string): number;
  /** Frees native memory. */
  close(): void;
}
