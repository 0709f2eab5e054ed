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
    return { problem: `it is no zlib (${(error as Error).message})` };
  }
}

/** Opcodes of Python's pickle that a pickled text is made of: Lib/pickletools.py, protocols 2 to 5. */
const opcodes = {
  protocol: 0x80,
  frame: 0x95,
  text32: 0x58,
  text8: 0x8c,
  text64: 0x8d,
  memoize: 0x94,
  put8: 0x71,
  put32: 0x72,
  stop: 0x2e,
} as const;

/** Bytes of an argument that says nothing about the text: places in the memo, lengths of frames. */
const passedOver: ReadonlyMap<number, number> = new Map([
  [opcodes.frame, 8],
  [opcodes.memoize, 0],
  [opcodes.put8, 1],
  [opcodes.put32, 4],
]);

/** Bytes of the length in front of a text. */
const lengthBytes: ReadonlyMap<number, number> = new Map([
  [opcodes.text8, 1],
  [opcodes.text32, 4],
  [opcodes.text64, 8],
]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A text, or why the bytes are no pickle of one. */
type Unpickled = { readonly text: string } | { readonly problem: string };

/**
 * Reads a pickle that holds one text and nothing else, as `pickle.dumps("...")` writes it. It is read, not run: a pickle
 * is a program for a stack machine that can import and call anything, so every instruction that is not needed to say one
 * text is refused.
 */
export function unpickleText(pickle: Uint8Array): Unpickled {
  const bytes = Buffer.from(pickle.buffer, pickle.byteOffset, pickle.length);
  if (bytes[0] !== opcodes.protocol || bytes[1] === undefined || bytes[1] < 2 || bytes[1] > 5) {
    return { problem: 'it is no pickle of protocol 2 to 5' };
  }
  let text: Uint8Array | undefined;
  for (let at = 2; at < bytes.length; ) {
    const opcode = bytes[at]!;
    if (opcode === opcodes.stop) return ended(text, bytes.length - at - 1);
    const skipped = passedOver.get(opcode);
    if (skipped !== undefined) {
      at += 1 + skipped;
      continue;
    }
    const piece = textAt(bytes, at);
    if (!piece) return { problem: `instruction 0x${opcode.toString(16)} at byte ${at} is not one of a text` };
    if (text) return { problem: `a second text at byte ${at}` };
    text = piece.text;
    at = piece.end;
  }
  return { problem: 'it is cut short' };
}

/** The text whose instruction stands at `at`; undefined for another instruction, or one that the bytes don't suffice for. */
function textAt(bytes: Buffer, at: number): { readonly text: Uint8Array; readonly end: number } | undefined {
  const size = lengthBytes.get(bytes[at]!);
  const start = at + 1 + (size ?? 0);
  if (size === undefined || start > bytes.length) return undefined;
  const length = size === 8 ? Number(bytes.readBigUInt64LE(at + 1)) : bytes.readUIntLE(at + 1, size);
  const end = start + length;
  return end > bytes.length ? undefined : { text: bytes.subarray(start, end), end };
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
