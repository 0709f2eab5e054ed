import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { keepNewest, recallBytes, rememberBytes, userCachePath } from '../../base/files/userCache.ts';
import { sha256Hex } from '../../base/ids.ts';
import type { ByteLevelVocabulary } from './byteLevel/byteLevelVocabulary.ts';
import type { TokenizerJson } from './tokenizerFile.ts';

/** A tokenizer whose file passed every check, and on which our own encoder agreed with Hugging Face's. */
interface VerifiedTokenizer {
  readonly addedTokens: TokenizerJson['added_tokens'];
  readonly vocabulary: ByteLevelVocabulary;
}

/** What stands in a file of {@link recallVerified}. */
interface StoredTokenizer extends VerifiedTokenizer {
  readonly verifiedBy: string;
}

/**
 * What was verified of a tokenizer at an earlier start, with the tables of its vocabulary: checking takes 2 s of CPU
 * time, this 0.03 s. Undefined when nothing is on record, it is damaged, or it was verified by other code.
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
 * Records a verified tokenizer for later starts, beside the records of a few other versions of this program: they may
 * take turns. A folder that can't be written only means checking again.
 */
export async function rememberVerified(sha256: string, verified: VerifiedTokenizer): Promise<void> {
  const stored: StoredTokenizer = { ...verified, verifiedBy: verifiedBy() };
  await rememberBytes(nameOf(sha256), serialize(stored));
  await keepNewest(userCachePath(FOLDER), sha256, KEPT_VERSIONS);
}

const FOLDER = 'tokenizers';
/** Records kept of one tokenizer, of 7 MB each. */
const KEPT_VERSIONS = 3;

const nameOf = (sha256: string) => `${FOLDER}/${sha256}-${verifiedBy().slice(0, 16)}.bin`;

let known: string | undefined;

/**
 * The code that a verdict depends on: our encoder's sources, the version of the `tokenizers` package, and the Unicode
 * tables of this Node.
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
 * Text on which an encoder is compared with Hugging Face's before it is used: every class of character that
 * pre-tokeniser patterns tell apart, the CoA layout, and spaces that JavaScript and Unicode count differently.
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
