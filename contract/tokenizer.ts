/** Turns text into ids. Encoding never yields control tokens, whatever the text contains. */
export interface Tokenizer {
  /** Name such as `qwen2.5`, or the file's name. */
  readonly name: string;
  /** SHA-256 of its `tokenizer.json`. */
  readonly sha256: string;
  /** Encoding program, recorded in the manifest. */
  readonly encoder: 'coa-distill' | 'tokenizers';
  /** Literal texts that trainers encode as control ids anywhere, so that no row may contain one. */
  readonly addedTokens: readonly string[];
  /** Special matching flags of added tokens, for those that have any. */
  readonly addedTokenFlags: ReadonlyMap<string, AddedTokenFlags>;
  /** Ids of ordinary text. Throws `RecordFailure` if the tokenizer would normalise the text. */
  encode(text: string): Promise<Uint32Array>;
  /**
   * Ids of consecutive texts, each encoded separately; undefined if the joined text has other ids, because a token
   * crosses a border. Throws as `encode` does for the joined text.
   */
  encodeSideBySide(texts: readonly string[]): Promise<EncodedTexts | undefined>;
  /** Text of ids; control tokens become their literal text. */
  decode(ids: Uint32Array): Promise<string>;
  /** Id of an added token such as `<|im_end|>`; throws `UserError` if the tokenizer lacks it. */
  controlId(token: string): number;
  /** Frees memory; no encoding is possible afterwards. */
  close(): void;
}

/** Ids of consecutive texts. */
export interface EncodedTexts {
  /** Ids of all texts, concatenated. */
  readonly ids: Uint32Array;
  /** Number of ids up to the end of each text. */
  readonly ends: Uint32Array;
}

/** Flags of an added token in a `tokenizer.json`, as defined by Hugging Face's tokenizers. */
export interface AddedTokenFlags {
  /** The token absorbs white space before it. */
  readonly lstrip: boolean;
  /** The token absorbs white space after it. */
  readonly rstrip: boolean;
  /** No match next to a letter, a digit or an underscore. */
  readonly singleWord: boolean;
  /** Matched in normalised text, after tokens without this flag. */
  readonly normalized: boolean;
}
