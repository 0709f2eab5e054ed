import { inflateSync } from 'node:zlib';

/** Unpacked size that is always allowed. */
const FREE_BYTES = 2 ** 24;
/** Maximum expansion of packed tests. Those of LiveCodeBench expand 2 to 50 times. */
const MAX_RATIO = 100;
/** Maximum unpacked bytes of one task's tests. */
const MAX_BYTES = 2 ** 28;

/** True for text that may be packed tests, by the Base64 of a zlib header. */
export function looksPacked(text: string): boolean {
  return /^(?:eJ|eN|eA|eF)[A-Za-z0-9+/]{6}/.test(text);
}

/**
 * JSON text of the column `private_test_cases` as published by LiveCodeBench: Base64 of zlib of a pickled text
 * (`lcb_runner/benchmarks/code_generation.py`). The pickle is never executed, and the expansion is limited.
 */
export function unpackTests(packed: string): Unpickled {
  const bytes = Buffer.from(packed, 'base64');
  const limit = Math.min(MAX_BYTES, FREE_BYTES + MAX_RATIO * bytes.length);
  try {
    return unpickleText(inflateSync(bytes, { maxOutputLength: limit }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      return { problem: `it unpacks to more than ${Math.floor(limit / 2 ** 20)} MB` };
    }
    return { problem: `not zlib (${(error as Error).message})` };
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A text, or the reason why the bytes are not a pickled text. */
type Unpickled = { readonly text: string } | { readonly problem: string };

/**
 * Skipped pickle instructions of a text (`Lib/pickletools.py`, protocols 2 to 5), each with the bytes of its
 * argument: frame, memoize, and puts of one and four bytes.
 */
const passedOver: Readonly<Record<number, number>> = { 149: 8, 148: 0, 113: 1, 114: 4 };
/** Instructions with a text, each with the size of its length field. */
const lengthBytes: Readonly<Record<number, number>> = { 140: 1, 88: 4, 141: 8 };
const stop = 0x2e;

/**
 * Reads a pickle of exactly one text, as written by `pickle.dumps("...")`. It is parsed, not executed: a pickle is a
 * program that can import and call anything, so every other instruction is refused.
 */
export function unpickleText(pickle: Uint8Array): Unpickled {
  const bytes = Buffer.from(pickle.buffer, pickle.byteOffset, pickle.length);
  if (bytes[0] !== 0x80 || ![2, 3, 4, 5].includes(bytes[1]!))
    return { problem: 'not a pickle of protocol 2 to 5' };
  let text: Uint8Array | undefined;
  for (let at = 2; at < bytes.length; ) {
    const opcode = bytes[at++]!;
    if (opcode === stop) return ended(text, bytes.length - at);
    const size = lengthBytes[opcode];
    if (size === undefined) {
      if (passedOver[opcode] === undefined)
        return { problem: `instruction 0x${opcode.toString(16)} at byte ${at - 1} is not one of a text` };
      at += passedOver[opcode];
      continue;
    }
    if (text) return { problem: `a second text at byte ${at - 1}` };
    const start = at + size;
    if (start > bytes.length) break;
    at = start + (size === 8 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUIntLE(at, size));
    text = bytes.subarray(start, at);
  }
  return { problem: 'it is cut short' };
}

function ended(text: Uint8Array | undefined, left: number): Unpickled {
  if (!text) return { problem: 'it holds no text' };
  if (left > 0) return { problem: `${left} bytes follow its end` };
  try {
    return { text: utf8.decode(text) };
  } catch {
    return { problem: 'its text is not UTF-8, or longer than a text can be' };
  }
}
