/** Turns text into ids. Encoding never yields control tokens, whatever the text holds. */
export interface Tokenizer {
  /** For instance `qwen2.5`, or the file's name. */
  readonly name: string;
  /** SHA-256 of the `tokenizer.json` it was made from. */
  readonly sha256: string;
  /** Which program encodes; written into the manifest. */
  readonly encoder: 'coa-distill' | 'tokenizers';
  /** Literal texts that trainers turn into control ids wherever they stand, so that no row may hold one. */
  readonly addedTokens: readonly string[];
  /** What else Hugging Face's tokenizers do where an added token stands, for those where they do. */
  readonly addedTokenFlags: ReadonlyMap<string, AddedTokenFlags>;
  /** Ids of ordinary text. Throws `RecordFailure` for text that the tokenizer would normalise into another. */
  encode(text: string): Promise<Uint32Array>;
  /**
   * Ids of texts that follow each other, each encoded by itself; undefined when the texts joined into one have other
   * ids, for then a token lies across a border. Throws as `encode` does for the joined text.
   */
  encodeSideBySide(texts: readonly string[]): Promise<EncodedTexts | undefined>;
  /** Text of ids, control tokens included as their literal text. */
  decode(ids: Uint32Array): Promise<string>;
  /** The id of an added token such as `<|im_end|>`; throws `UserError` when the tokenizer has none. */
  controlId(token: string): number;
  /** Frees memory; nothing can be encoded after it. */
  close(): void;
}

/** Texts that follow each other, in ids. */
export interface EncodedTexts {
  /** Ids of the first text, then those of the second, ... */
  readonly ids: Uint32Array;
  /** How many ids there are up to the end of each text. */
  readonly ends: Uint32Array;
}

/** The flags of an added token in a `tokenizer.json`, as Hugging Face's tokenizers take them. */
export interface AddedTokenFlags {
  /** White space before it belongs to it. */
  readonly lstrip: boolean;
  /** White space after it belongs to it. */
  readonly rstrip: boolean;
  /** It is none beside a letter, a digit or a low line. */
  readonly singleWord: boolean;
  /** It is looked for in normalised text, where no token without this flag was found. */
  readonly normalized: boolean;
}
