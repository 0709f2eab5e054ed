import { createHash } from 'node:crypto';
import { parsePassage, splitContents } from '../passage.ts';
import { readLines } from '../readLines.ts';
import { createBlockPacker } from './passageBlocks.ts';

/** Passages of a corpus one behind the other, as the index takes them. */
export interface CorpusBlock {
  /** Title and text of each, for their words. */
  readonly columns: readonly (readonly [title: string, text: string])[];
  /** The passages themselves, see `createBlockPacker`. */
  readonly packed: Uint8Array<ArrayBuffer>;
  /** Bytes of the corpus file that were read until now. */
  readonly bytesRead: number;
}

/** What is known of a corpus once all of it was read. */
export interface CorpusEnd {
  /** SHA-256 of the file's bytes, compressed ones too. */
  readonly sha256: string;
}

/**
 * Reads a corpus file block by block, streaming.
 *
 * @throws UserError for one that can't be read or has a malformed line
 */
export async function* corpusBlocks(corpus: string): AsyncGenerator<CorpusBlock, CorpusEnd> {
  const hash = createHash('sha256');
  let bytesRead = 0;
  const onRead = (bytes: Buffer) => {
    hash.update(bytes);
    bytesRead += bytes.length;
  };
  const packer = createBlockPacker();
  let columns: [string, string][] = [];
  for await (const { number, bytes } of readLines(corpus, onRead)) {
    const passage = parsePassage(bytes, corpus, number);
    const { title, text } = splitContents(passage.contents);
    columns.push([title, text]);
    const packed = packer.add(passage);
    if (!packed) continue;
    yield { columns, packed, bytesRead };
    columns = [];
  }
  const packed = packer.end();
  if (packed) yield { columns, packed, bytesRead };
  return { sha256: hash.digest('hex') };
}
