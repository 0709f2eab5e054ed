import { inflateSync } from 'node:zlib';

/** Tests that are shorter packed than this are unpacked whatever they come to, up to it. */
const FREE_BYTES = 2 ** 24;
/** Times that tests may be longer unpacked than packed. Real ones of LiveCodeBench come to 2 to 50 times. */
const MAX_RATIO = 100;
/** As much as one task's tests may take unpacked. */
const MAX_BYTES = 2 ** 28;

/** True for text that may be packed tests: they begin with the Base64 of a zlib header. */
export function looksPacked(text: string): boolean {
  return /^(?:eJ|eN|eA|eF)[A-Za-z0-9+/]{6}/.test(text);
}

/**
 * The JSON text in the column `private_test_cases` as LiveCodeBench publishes it: Base64 of zlib of a pickled text
 * (`lcb_runner/benchmarks/code_generation.py`). Nothing of the pickle is executed, and a small text can't become a huge one.
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

/** A text, or why the bytes are not a pickle of one. */
type Unpickled = { readonly text: string } | { readonly problem: string };

/**
 * Instructions of Python's pickle that a pickled text is made of (`Lib/pickletools.py`, protocols 2 to 5), each with the
 * bytes of its argument: frame, memoize, and puts of one and four bytes.
 */
const passedOver: Readonly<Record<number, number>> = { 149: 8, 148: 0, 113: 1, 114: 4 };
/** Those that hold a text, each with the bytes of the length in front of it. */
const lengthBytes: Readonly<Record<number, number>> = { 140: 1, 88: 4, 141: 8 };
const stop = 0x2e;

/**
 * Reads a pickle that holds one text and nothing else, as `pickle.dumps("...")` writes it. It is read, not run: a pickle
 * is a program for a stack machine that can import and call anything, so every instruction that is not needed to say one
 * text is refused.
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
