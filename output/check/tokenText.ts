import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Tokenizer } from 'tokenizers';
import { z } from 'zod';
import { sha256Hex } from '../../base/ids.ts';
import { parseJson } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';
import { BUNDLED_TOKENIZER } from '../../schemas/config/dataset.ts';
import { bundledTokenizerFile } from '../tokenizers/tokenizerFile.ts';

/** Text as tokens, each with its range of text (UTF-16 code units, half-open). */
export interface EncodedText {
  readonly text: string;
  readonly ids: readonly number[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** Encoding by Hugging Face's `tokenizers`, as in trainers; independent of the exporter's encoder. */
export interface TokenText {
  /** `qwen2.5`, or the path. */
  readonly name: string;
  readonly file: string;
  readonly sha256: string;
  readonly controls: ReadonlyMap<number, string>;
  encode(text: string): Promise<EncodedText>;
  encodeApart(texts: readonly string[]): Promise<EncodedText & { readonly counts: readonly number[] }>;
  decode(ids: readonly number[]): Promise<string>;
  textOf(ids: readonly number[]): Promise<string | undefined>;
  hasId(id: number): boolean;
}

const tokenizerSchema = z.looseObject({
  added_tokens: z.array(z.looseObject({ id: z.int().nonnegative(), content: z.string() })).default([]),
});

/**
 * Opens `qwen2.5` or a `tokenizer.json`.
 *
 * @param namedBy the option or key that names it, for messages
 * @throws UserError if the file is missing or is no tokenizer
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

type Loaded = { readonly tokenizer: Tokenizer; readonly controls: ReadonlyMap<number, string> };

/** Cache by SHA-256, since loading takes 0.6 s. */
const opened = new Map<string, WeakRef<Loaded>>();

function loadedFrom(namedBy: string, text: string): Loaded {
  try {
    const json = tokenizerSchema.parse(parseJson(text));
    // A post-processor would add tokens, or trim token ranges.
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
  const decode = (ids: readonly number[]) => tokenizer.decode([...ids], false);
  const hasId = (id: number) => Number.isInteger(id) && id >= 0 && tokenizer.idToToken(id) !== null;
  return {
    ...named,
    controls,
    encode,
    encodeApart: async (texts) => {
      const parts: EncodedText[] = [];
      for (const text of texts) parts.push(await encode(text));
      return joined(parts);
    },
    decode,
    textOf: async (ids) => {
      if (!ids.every(hasId)) return undefined;
      const start = ids.slice(0, 64);
      const { ids: again } = await encode(await decode(start));
      // The last few ids may change if the text continues.
      const compared = again.slice(0, start.length < 64 ? undefined : 48);
      return compared.every((id, at) => id === start[at]) ? decode(ids) : undefined;
    },
    hasId,
  };
}

function joined(parts: readonly EncodedText[]) {
  const begins = [0];
  for (const { text } of parts) begins.push(begins.at(-1)! + text.length);
  return {
    text: parts.map(({ text }) => text).join(''),
    ids: parts.flatMap(({ ids }) => ids),
    starts: parts.flatMap(({ starts }, at) => starts.map((start) => begins[at]! + start)),
    ends: parts.flatMap(({ ends }, at) => ends.map((end) => begins[at]! + end)),
    counts: parts.map(({ ids }) => ids.length),
  };
}

/** Converts Hugging Face's code point offsets to UTF-16 code units. */
function utf16Places(text: string): (codePoint: number) => number {
  if (!/[\ud800-\udfff]/.test(text)) return (codePoint) => codePoint;
  const places: number[] = [];
  let at = 0;
  for (const character of text) {
    places.push(at);
    at += character.length;
  }
  return (codePoint) => places[codePoint] ?? at;
}

/** Token at a position of the text, or the next one. */
export function tokenAt(row: EncodedText, place: number): number {
  const token = row.ends.findIndex((end) => end > place);
  return token < 0 ? Math.max(0, row.ids.length - 1) : token;
}

const QUOTED_CHARACTERS = 60;

/** Token of a row with its neighbours; null if the row's text is unknown. */
export function tokenContext({ text, starts, ends }: EncodedText, token: number) {
  const start = starts[token] ?? text.length;
  const end = Math.max(start, ends[token] ?? text.length);
  if (text === '') return null;
  return {
    before: text.slice(Math.max(0, start - QUOTED_CHARACTERS), start).toWellFormed(),
    token: text.slice(start, end).toWellFormed(),
    after: text.slice(end, end + QUOTED_CHARACTERS).toWellFormed(),
  };
}
