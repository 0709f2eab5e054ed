import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Tokenizer } from 'tokenizers';
import { z } from 'zod';
import { sha256Hex } from '../../base/ids.ts';
import { parseJson } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import type { TokenContext } from '../../schemas/audit.ts';
import { BUNDLED_TOKENIZER } from '../../schemas/config/dataset.ts';
import { bundledTokenizerFile } from '../tokenizers/tokenizerFile.ts';

/** A text in tokens, each with the stretch of the text that it covers (UTF-16 code units, half-open). */
export interface EncodedText {
  readonly text: string;
  readonly ids: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Texts that were encoded each by itself, joined. */
interface EncodedParts extends EncodedText {
  readonly counts: readonly number[];
}

/**
 * Text in tokens as trainers that tokenise text themselves see it: by Hugging Face's `tokenizers`, with added tokens
 * found wherever they stand. None of the exporter's code.
 */
export interface TokenText {
  /** `qwen2.5`, or the path. */
  readonly name: string;
  /** The `tokenizer.json`. */
  readonly file: string;
  readonly sha256: string;
  /** Literal texts of the added tokens by id. */
  readonly controls: ReadonlyMap<number, string>;
  encode(text: string): Promise<EncodedText>;
  /** Texts that follow each other, each encoded by itself. */
  encodeApart(texts: readonly string[]): Promise<EncodedParts>;
  decode(ids: readonly number[]): Promise<string>;
  /** Whether the vocabulary has the id. */
  knows(id: number): boolean;
}

const tokenizerSchema = z.looseObject({
  added_tokens: z.array(z.looseObject({ id: z.int().nonnegative(), content: z.string() })).default([]),
});

/**
 * Opens `qwen2.5` or a `tokenizer.json`.
 *
 * @param namedBy what names it and its name, for messages
 * @throws UserError when the file is missing or is no tokenizer
 */
export async function openTokenText(
  nameOrPath: string,
  namedBy = `--tokenizer ${nameOrPath}`,
): Promise<TokenText> {
  const file = nameOrPath === BUNDLED_TOKENIZER ? bundledTokenizerFile() : path.resolve(nameOrPath);
  const bytes = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    throw new UserError(
      `${namedBy}: can't be read (${cause.code}); expected qwen2.5 or the path of a tokenizer.json as --tokenizer`,
      { cause },
    );
  });
  const sha256 = sha256Hex(bytes);
  const loaded = opened.get(sha256)?.deref() ?? loadedFrom(namedBy, bytes.toString('utf8'));
  opened.set(sha256, new WeakRef(loaded));
  return textIn(loaded, { name: nameOrPath, file, sha256 });
}

interface Loaded {
  readonly tokenizer: Tokenizer;
  readonly controls: ReadonlyMap<number, string>;
}

/** Reading a tokenizer takes 0.6 s of CPU time: one that is still in memory is used again. By SHA-256. */
const opened = new Map<string, WeakRef<Loaded>>();

function loadedFrom(namedBy: string, text: string): Loaded {
  try {
    const json = tokenizerSchema.parse(parseJson(text));
    // A post-processor would add tokens, or trim the stretches that tokens cover.
    const plain = { ...json, post_processor: null, truncation: null, padding: null };
    return {
      tokenizer: Tokenizer.fromString(JSON.stringify(plain)),
      controls: new Map(json.added_tokens.map(({ id, content }) => [id, content])),
    };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new UserError(`${namedBy}: not a tokenizer.json of the Hugging Face format (${why})`, { cause });
  }
}

function textIn(
  { tokenizer, controls }: Loaded,
  named: Pick<TokenText, 'name' | 'file' | 'sha256'>,
): TokenText {
  const encode = async (text: string): Promise<EncodedText> => {
    const encoding = await tokenizer.encode(text, null, { addSpecialTokens: false });
    const place = utf16Places(text);
    const offsets = encoding.getOffsets();
    const starts = offsets.map(([start = 0]) => place(start));
    return { text, ids: encoding.getIds(), starts, ends: offsets.map(([, end = 0]) => place(end)) };
  };
  return {
    ...named,
    controls,
    encode,
    encodeApart: async (texts) => {
      const parts: EncodedText[] = [];
      for (const text of texts) parts.push(await encode(text));
      return joined(parts);
    },
    decode: (ids) => tokenizer.decode([...ids], false),
    knows: (id) => tokenizer.idToToken(id) !== null,
  };
}

function joined(parts: readonly EncodedText[]): EncodedParts {
  let from = 0;
  const begins = parts.map(({ text }) => {
    from += text.length;
    return from - text.length;
  });
  return {
    text: parts.map(({ text }) => text).join(''),
    ids: parts.flatMap(({ ids }) => ids),
    starts: parts.flatMap(({ starts }, at) => starts.map((start) => begins[at]! + start)),
    ends: parts.flatMap(({ ends }, at) => ends.map((end) => begins[at]! + end)),
    counts: parts.map(({ ids }) => ids.length),
  };
}

/** Hugging Face counts code points, JavaScript UTF-16 code units. */
function utf16Places(text: string): (codePoint: number) => number {
  if (!/[\ud800-\udfff]/.test(text)) return (codePoint) => codePoint;
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    places.push(at);
    at += character.length;
  }
  places.push(at);
  return (codePoint) => places[codePoint] ?? at;
}

/** Characters shown on either side of a token. */
const neighbours = 60;

/** A token of a row between its neighbours; null where the row's text is not known. */
export function tokenContext({ text, starts, ends }: EncodedText, token: number): TokenContext | null {
  const start = starts[token] ?? text.length;
  const end = Math.max(start, ends[token] ?? text.length);
  if (text === '') return null;
  return {
    before: text.slice(Math.max(0, start - neighbours), start).toWellFormed(),
    token: text.slice(start, end).toWellFormed(),
    after: text.slice(end, end + neighbours).toWellFormed(),
  };
}
