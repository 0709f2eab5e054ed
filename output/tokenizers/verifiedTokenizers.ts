import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { keepNewest, recallBytes, rememberBytes, userCachePath } from '../../base/files/userCache.ts';
import { sha256Hex } from '../../base/ids.ts';
import type { ByteLevelVocabulary } from './byteLevel/byteLevelVocabulary.ts';
import type { TokenizerJson } from './tokenizerFile.ts';

/** Tokenizer that passed all checks and agrees with Hugging Face's encoder. */
interface VerifiedTokenizer {
  readonly addedTokens: TokenizerJson['added_tokens'];
  readonly vocabulary: ByteLevelVocabulary;
}

interface StoredTokenizer extends VerifiedTokenizer {
  readonly verifiedBy: string;
}

/**
 * Restores a verified tokenizer with its vocabulary tables from an earlier start: 0.03 s instead of 2 s of CPU time.
 * Undefined if no record exists, it is damaged, or other code verified it.
 *
 * @param sha256 SHA-256 of the tokenizer's file
 */
export async function recallVerified(sha256: string): Promise<VerifiedTokenizer | undefined> {
  const content = await recallBytes(nameOf(sha256));
  if (content === undefined) return undefined;
  const stored = deserialize(content) as StoredTokenizer;
  return stored.verifiedBy === verifiedBy() ? stored : undefined;
}

/**
 * Stores a verified tokenizer for later starts, beside the records of a few other versions of this program. Without
 * write access, later starts verify again.
 */
export async function rememberVerified(sha256: string, verified: VerifiedTokenizer): Promise<void> {
  const stored: StoredTokenizer = { ...verified, verifiedBy: verifiedBy() };
  await rememberBytes(nameOf(sha256), serialize(stored));
  await keepNewest(userCachePath(FOLDER), sha256, KEPT_VERSIONS);
}

const FOLDER = 'tokenizers';
/** Maximum records per tokenizer, of 7 MB each. */
const KEPT_VERSIONS = 3;

const nameOf = (sha256: string) => `${FOLDER}/${sha256}-${verifiedBy().slice(0, 16)}.bin`;

let known: string | undefined;

/**
 * Hash of the code behind a verification: coa-distill's encoder, the version of `tokenizers`, and Node's Unicode
 * tables.
 */
function verifiedBy(): string {
  known ??= sha256Hex(
    JSON.stringify([
      process.versions.unicode,
      process.versions.v8,
      createRequire(import.meta.url)('tokenizers/package.json').version,
      sourcesBelow(import.meta.dirname),
    ]),
  );
  return known;
}

function sourcesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.[jt]s$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => readFileSync(file, 'utf8'));
}

/**
 * Sample for comparing encoders with Hugging Face's before use: every character class of pre-tokeniser patterns, the
 * CoA layout, and spaces that JavaScript and Unicode count differently.
 */
export const encoderSample = [
  "<think>It's what we'LL do: \"check\" 3.14159 × 2024-01-02…</think>\n<web_search>who'd win?  </web_search>\n",
  '<observation>\n日本語のテキスト、한국어 텍스트。 नमस्ते दुनिया עברית العربية\n\n\n  indented\r\n\ttabs\t\t\n</observation>\n\n',
  '<code>\n```py\nfor i in range(10):\n    print(f"{i:>3} {i**2}")  # ²³½ Ⅷ\n```\n</code>\n',
  'a\u00a0b\u1680c\u2003d\u2028e\u3000f\u0085g\u180eh\ufeffi\u200bj\u000bk\u001cl  \u00a0 m\n \n',
  '👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 é ñ ạ̈ x̄ Å ﬁ ǅ İstanbul ß ſ ʼn \u0000\u0001 <|im_start|> <tool_call> [INST]',
]
  .join('')
  .normalize('NFC');
