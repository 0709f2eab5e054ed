import { RecordFailure, UserError } from '../../pipeline/contract/errors.ts';
import type { Tokenizer } from '../../pipeline/contract/tokenizer.ts';
import { byteLevelBpe } from './byteLevelBpe.ts';
import { encoderSample } from './encoderSample.ts';
import { createOrdinaryTokenizer, type OrdinaryTokenizer } from './huggingFaceTokenizer.ts';
import { createTiktokenEncoder, type TiktokenEncoder } from './tiktokenEncoder.ts';
import { readTokenizerFile, type TokenizerFile } from './tokenizerFile.ts';

/**
 * Loads `qwen2.5`, or the `tokenizer.json` at a path. Byte-level BPE vocabularies are encoded by `tiktoken` with
 * the file's own ranks and pattern, provided that it agrees with Hugging Face's `tokenizers` on a sample; all
 * others, and any that disagree, by `tokenizers` itself.
 *
 * @throws UserError when the file is missing, is no `tokenizer.json`, is one that `tokenizers` can't read, or
 *   describes a tokenizer that rewrites text (lower-cases it, puts spaces in front): no mask would be exact then
 */
export async function loadTokenizer(nameOrPath: string): Promise<Tokenizer> {
  const file = await readTokenizerFile(nameOrPath);
  const reference = createReference(file);
  if (reference.normalise(encoderSample) !== encoderSample) {
    throw new UserError(
      `dataset.tokenizer: ${file.name} rewrites text before it encodes it: expected a tokenizer that at most normalises to NFC, as those of Qwen and Llama 3 do`,
    );
  }
  const tiktoken = await createAgreeingTiktoken(file, reference);
  return new FileTokenizer(file, reference, tiktoken);
}

function createReference(file: TokenizerFile): OrdinaryTokenizer {
  try {
    return createOrdinaryTokenizer(file.json);
  } catch (cause) {
    throw new UserError(`dataset.tokenizer: ${file.name} is refused by the tokenizers package: ${cause}`, {
      cause,
    });
  }
}

/** A `tiktoken` encoder that gives the reference's ids on the sample, or undefined. */
async function createAgreeingTiktoken(
  file: TokenizerFile,
  reference: OrdinaryTokenizer,
): Promise<TiktokenEncoder | undefined> {
  const bpe = byteLevelBpe(file.json);
  if (bpe === undefined) return undefined;
  const expected = await reference.encode(encoderSample);
  let encoder: TiktokenEncoder | undefined;
  try {
    encoder = createTiktokenEncoder(bpe);
    if (Buffer.from(encoder.encode(encoderSample).buffer).equals(Buffer.from(expected.buffer)))
      return encoder;
  } catch {
    // A pattern that tiktoken's regex engine does not take: the reference encodes then.
  }
  encoder?.close();
  return undefined;
}

class FileTokenizer implements Tokenizer {
  readonly name: string;
  readonly sha256: string;
  readonly addedTokens: readonly string[];
  readonly #reference: OrdinaryTokenizer;
  readonly #tiktoken: TiktokenEncoder | undefined;
  readonly #controlIds: ReadonlyMap<string, number>;
  readonly #controlTexts: ReadonlyMap<number, string>;

  constructor(file: TokenizerFile, reference: OrdinaryTokenizer, tiktoken: TiktokenEncoder | undefined) {
    const added = file.json.added_tokens;
    this.name = file.name;
    this.sha256 = file.sha256;
    this.addedTokens = added.map((token) => token.content);
    this.#reference = reference;
    this.#tiktoken = tiktoken;
    this.#controlIds = new Map(added.map((token) => [token.content, token.id]));
    this.#controlTexts = new Map(added.map((token) => [token.id, token.content]));
  }

  get encoder(): Tokenizer['encoder'] {
    return this.#tiktoken ? 'tiktoken' : 'tokenizers';
  }

  async encode(text: string): Promise<Uint32Array> {
    if (!text.isWellFormed() || this.#reference.normalise(text) !== text) {
      throw new RecordFailure(
        'internal',
        `the tokenizer ${this.name} would normalise this text into another`,
        {
          start: text.slice(0, 200).toWellFormed(),
        },
      );
    }
    return this.#tiktoken?.encode(text) ?? this.#reference.encode(text);
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
      `dataset.tokenizer: ${this.name} has no token ${token}, which the chat markup of a row needs: expected a ChatML model's tokenizer`,
    );
  }

  close(): void {
    this.#tiktoken?.close();
  }

  async #decodeOrdinary(ids: Uint32Array): Promise<string> {
    if (ids.length === 0) return '';
    return this.#tiktoken?.decode(ids) ?? this.#reference.decode(ids);
  }
}
