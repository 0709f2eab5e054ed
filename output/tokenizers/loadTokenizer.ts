import { UserError } from '../../base/userError.ts';
import type { Tokenizer } from '../../contract/tokenizer.ts';
import { type AddedTokens, addedTokensOf } from '../rows/addedTokens.ts';
import { isEscapable } from '../rows/specialTokenEscaper.ts';
import { ByteLevelEncoder } from './byteLevel/byteLevelEncoder.ts';
import { byteLevelVocabulary } from './byteLevel/byteLevelVocabulary.ts';
import { FileTokenizer, restoreTokenizer } from './fileTokenizer.ts';
import { encodesAlikeEverywhere, huggingFaceText } from './huggingFaceText.ts';
import { byteLevelText, type OrdinaryText } from './ordinaryText.ts';
import { parseTokenizerFile, readTokenizerBytes, type TokenizerFile } from './tokenizerFile.ts';
import { encoderSample, recallVerified, rememberVerified } from './verifiedTokenizers.ts';

/**
 * Loads `qwen2.5`, or the `tokenizer.json` at a path. Byte-level BPE vocabularies with the pattern of Qwen or Llama 3
 * use coa-distill's encoder if it agrees with Hugging Face's `tokenizers` on a sample; all others use `tokenizers`. The
 * result is cached by the file's hash.
 *
 * @throws UserError if the file is missing, is not a `tokenizer.json`, is unreadable for `tokenizers`, rewrites text
 * (lower-cases it, puts spaces in front), since no mask would be exact then, or has added tokens that cannot be escaped
 * in text or whose ids trainers would not keep
 */
export async function loadTokenizer(nameOrPath: string): Promise<Tokenizer> {
  const stored = await readTokenizerBytes(nameOrPath);
  const { name, sha256 } = stored;
  const verified = await recallVerified(sha256);
  if (verified === undefined) return verifyTokenizer(parseTokenizerFile(stored));
  return restoreTokenizer({ ...verified, name, sha256 });
}

/**
 * Added tokens of the tokenizer in `dataset.tokenizer`, without loading the rest.
 *
 * @throws UserError as {@link loadTokenizer}
 */
export async function loadAddedTokens(nameOrPath: string): Promise<AddedTokens> {
  const tokenizer = await loadTokenizer(nameOrPath);
  tokenizer.close();
  return addedTokensOf(tokenizer);
}

async function verifyTokenizer(file: TokenizerFile): Promise<Tokenizer> {
  assertEscapable(file);
  assertIdsKept(file);
  const reference = createReference(file);
  if (!reference.keeps(encoderSample)) {
    throw new UserError(
      `dataset.tokenizer: ${file.name} rewrites text before it encodes it: expected a tokenizer that at most normalises to NFC, as those of Qwen and Llama 3 do`,
    );
  }
  if (!(await encodesAlikeEverywhere(file.json))) {
    throw new UserError(
      `dataset.tokenizer: ${file.name} puts a space before text or not, depending on where it stands: expected a byte-level tokenizer, as those of Qwen and Llama 3 are`,
    );
  }
  const { name, sha256, json } = file;
  const source = { name, sha256, addedTokens: json.added_tokens };
  return new FileTokenizer(source, (await agreeingByteLevelText(file, reference)) ?? reference);
}

function assertEscapable({ name, json }: TokenizerFile): void {
  const token = json.added_tokens.find(({ content }) => !isEscapable(content))?.content;
  if (token === undefined) return;
  throw new UserError(
    `dataset.tokenizer: ${name} makes a token of ${JSON.stringify(token)} wherever it stands, which no text can be kept free of: expected added tokens of two characters or more that are not white space, as those of Qwen and Llama 3 are`,
  );
}

/**
 * Requires the ids that Hugging Face's tokenizers assign to added tokens regardless of the file: the vocabulary's id if
 * it contains the token, else the highest id so far plus one.
 */
function assertIdsKept({ name, json }: TokenizerFile): void {
  const ids = vocabularyIds(json.model);
  let highest = -1;
  for (const { content, id } of json.added_tokens) {
    const expected = ids.get(content) ?? Math.max(ids.size, highest + 1);
    if (id !== expected) {
      throw new UserError(
        `dataset.tokenizer: ${name} gives the added token ${content} the id ${id}, but Hugging Face's tokenizers, which trainers use, make it ${expected}: save the tokenizer again with them`,
      );
    }
    highest = Math.max(highest, expected);
  }
}

/** Ids by token: an object in most models, a list of tokens and scores in Unigram. */
function vocabularyIds({ vocab }: TokenizerFile['json']['model']): ReadonlyMap<string, number> {
  if (Array.isArray(vocab))
    return new Map(vocab.map((entry: unknown, id) => [String((entry as unknown[])[0]), id]));
  return new Map(Object.entries((vocab ?? {}) as Record<string, number>));
}

function createReference(file: TokenizerFile): OrdinaryText {
  try {
    return huggingFaceText(file.json);
  } catch (cause) {
    throw new UserError(`dataset.tokenizer: ${file.name} is refused by the tokenizers package: ${cause}`, {
      cause,
    });
  }
}

/** coa-distill's encoder, if it supports the file and agrees with the reference on the sample. */
async function agreeingByteLevelText(
  file: TokenizerFile,
  reference: OrdinaryText,
): Promise<OrdinaryText | undefined> {
  const vocabulary = byteLevelVocabulary(file.json);
  if (vocabulary === undefined) return undefined;
  const encoder = new ByteLevelEncoder(vocabulary);
  const expected = await reference.encode(encoderSample);
  const agrees = Buffer.from(encoder.encode(encoderSample).buffer).equals(Buffer.from(expected.buffer));
  if (!agrees) return undefined;
  await rememberVerified(file.sha256, { addedTokens: file.json.added_tokens, vocabulary });
  return byteLevelText(vocabulary, encoder);
}
