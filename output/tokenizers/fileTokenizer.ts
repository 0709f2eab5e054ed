import { UserError } from '../../base/userError.ts';
import { RecordFailure } from '../../contract/errors.ts';
import type { AddedTokenFlags, EncodedTexts, Tokenizer } from '../../contract/tokenizer.ts';
import type { ByteLevelVocabulary } from './byteLevel/byteLevelVocabulary.ts';
import { byteLevelText, type OrdinaryText } from './ordinaryText.ts';
import type { TokenizerBytes, TokenizerJson } from './tokenizerFile.ts';

export interface FileTokenizerSource extends Pick<TokenizerBytes, 'name' | 'sha256'> {
  readonly addedTokens: TokenizerJson['added_tokens'];
}

/** Tokenizer as plain values and arrays, which can be copied to another thread. */
export interface PortableTokenizer extends FileTokenizerSource {
  readonly vocabulary: ByteLevelVocabulary;
}

export function restoreTokenizer({ vocabulary, ...source }: PortableTokenizer): FileTokenizer {
  return new FileTokenizer(source, byteLevelText(vocabulary));
}

/** Copyable form of a tokenizer; undefined if it can only be used in this thread. */
export function portableTokenizer(tokenizer: Tokenizer): PortableTokenizer | undefined {
  return tokenizer instanceof FileTokenizer ? tokenizer.portable : undefined;
}

/** Tokenizer of a file: an encoder for ordinary text, and added tokens, which ordinary text never encodes to. */
export class FileTokenizer implements Tokenizer {
  readonly name: string;
  readonly sha256: string;
  readonly encoder: Tokenizer['encoder'];
  readonly addedTokens: readonly string[];
  readonly addedTokenFlags: ReadonlyMap<string, AddedTokenFlags>;
  readonly #source: FileTokenizerSource;
  readonly #controlIds: ReadonlyMap<string, number>;
  readonly #controlTexts: ReadonlyMap<number, string>;
  #ordinary: OrdinaryText | undefined;

  constructor(file: FileTokenizerSource, ordinary: OrdinaryText) {
    const added = file.addedTokens;
    this.#source = file;
    this.name = file.name;
    this.sha256 = file.sha256;
    this.encoder = ordinary.encoder;
    this.addedTokens = added.map((token) => token.content);
    this.addedTokenFlags = flagsOf(added);
    this.#controlIds = new Map(added.map((token) => [token.content, token.id]));
    this.#controlTexts = new Map(added.map((token) => [token.id, token.content]));
    this.#ordinary = ordinary;
  }

  async encode(text: string): Promise<Uint32Array> {
    this.#assertKept([text]);
    return this.#open.encode(text);
  }

  async encodeSideBySide(texts: readonly string[]): Promise<EncodedTexts | undefined> {
    this.#assertKept(texts);
    return this.#open.encodeSideBySide(texts);
  }

  async decode(ids: Uint32Array): Promise<string> {
    const parts: Promise<string>[] = [];
    let from = 0;
    ids.forEach((id, at) => {
      const control = this.#controlTexts.get(id);
      if (control === undefined) return;
      parts.push(this.#decodeOrdinary(ids.subarray(from, at)), Promise.resolve(control));
      from = at + 1;
    });
    parts.push(this.#decodeOrdinary(ids.subarray(from)));
    return (await Promise.all(parts)).join('');
  }

  controlId(token: string): number {
    const id = this.#controlIds.get(token);
    if (id !== undefined) return id;
    throw new UserError(
      `dataset.tokenizer: ${this.name} has no token ${token}, which the chat template of a row writes: expected the tokenizer of a model with that template, or another dataset.chat_template`,
    );
  }

  close(): void {
    this.#ordinary = undefined;
  }

  /** See {@link PortableTokenizer}; undefined for one that uses Hugging Face's encoder. */
  get portable(): PortableTokenizer | undefined {
    const { vocabulary } = this.#open;
    return vocabulary && { ...this.#source, vocabulary };
  }

  get #open(): OrdinaryText {
    if (this.#ordinary === undefined) throw new Error(`the tokenizer ${this.name} is closed`);
    return this.#ordinary;
  }

  #assertKept(texts: readonly string[]): void {
    const text = texts.join('');
    if (texts.every((part) => part.isWellFormed()) && this.#open.keeps(text)) return;
    const message = `the tokenizer ${this.name} would normalise this text into another`;
    throw new RecordFailure('internal', message, { start: text.slice(0, 200).toWellFormed() });
  }

  async #decodeOrdinary(ids: Uint32Array): Promise<string> {
    return ids.length === 0 ? '' : this.#open.decode(ids);
  }
}

function flagsOf(added: TokenizerJson['added_tokens']): Map<string, AddedTokenFlags> {
  const flagged = added.filter(
    (token) => token.lstrip || token.rstrip || token.single_word || token.normalized,
  );
  return new Map(
    flagged.map(({ content, lstrip, rstrip, single_word, normalized }) => [
      content,
      { lstrip, rstrip, singleWord: single_word, normalized },
    ]),
  );
}
