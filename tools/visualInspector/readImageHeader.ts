import type { ImageFormat } from '../../schemas/config/tools/visualInspector.ts';

const readers = [pngHeader, jpegHeader, gifHeader, webpHeader, bmpHeader];

/**
 * Image type and size from a file's bytes; undefined for unsupported images and those without pixels. No pixel is
 * decoded; the work is linear in the bytes.
 *
 * `image-size` 2.1.0 does not count the frames of an animation, which half of this file does, and tries formats that
 * are refused.
 */
export function readImageHeader(bytes: Buffer): ImageHeader | undefined {
  for (const read of readers) {
    const header = read(bytes);
    if (header) return header.width > 0 && header.height > 0 ? header : undefined;
  }
  return undefined;
}

/** Image properties from its first bytes, independent of its name. */
export interface ImageHeader {
  readonly format: ImageFormat;
  /** Pixels, at least 1. */
  readonly width: number;
  /** Pixels, at least 1. */
  readonly height: number;
  /** Frames of an animation, at least 1. */
  readonly frames: number;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Length, type and checksum around a chunk's data. */
const CHUNK_OVERHEAD = 12;
/** Length and data of the header chunk. */
const IHDR_BYTES = 13;

/** Reads a PNG (W3C PNG, third edition): the header chunk comes first, an animation's `acTL` before the pixels. */
function pngHeader(bytes: Buffer): ImageHeader | undefined {
  const isPng = bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE) && bytes.length >= 33;
  if (!isPng || bytes.readUInt32BE(8) !== IHDR_BYTES || typeAt(bytes, 8) !== 'IHDR') return undefined;
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  return { format: 'png', width, height, frames: framesOf(bytes) };
}

function framesOf(bytes: Buffer): number {
  for (let at = SIGNATURE.length; at + CHUNK_OVERHEAD <= bytes.length; ) {
    const type = typeAt(bytes, at);
    if (type === 'IDAT') return 1;
    if (type === 'acTL') return Math.max(1, bytes.readUInt32BE(at + 8));
    at += CHUNK_OVERHEAD + bytes.readUInt32BE(at);
  }
  return 1;
}

function typeAt(bytes: Buffer, chunk: number): string {
  return bytes.toString('latin1', chunk + 4, chunk + 8);
}

/** Start of scan; pixels follow. */
const SOS = 0xda;
/** Markers in the range of frame headers that are none: Huffman tables, a reserved one, arithmetic coding. */
const NO_FRAMES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

/** Reads a JPEG (ITU-T T.81, B.2): segments up to the frame header. */
function jpegHeader(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) at += 1;
    else if (isFrame(marker)) return frameAt(bytes, at);
    else if (marker === SOS) return undefined;
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.has(marker);
}

function frameAt(bytes: Buffer, segment: number): ImageHeader {
  const height = bytes.readUInt16BE(segment + 5);
  const width = bytes.readUInt16BE(segment + 7);
  return { format: 'jpeg', width, height, frames: 1 };
}

const HEADER_BYTES = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
/** Size of an image descriptor: separator, position, size and flags. */
const DESCRIPTOR_BYTES = 10;

/** Reads a GIF (GIF89a specification): the canvas size and the number of frames. */
function gifHeader(bytes: Buffer): ImageHeader | undefined {
  const version = bytes.toString('latin1', 0, 6);
  if (bytes.length < HEADER_BYTES || (version !== 'GIF87a' && version !== 'GIF89a')) return undefined;
  let [width, height, frames] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8), 0];
  for (let at = HEADER_BYTES + colours(bytes[10]!); at < bytes.length && bytes[at] !== TRAILER; ) {
    if (bytes[at] === EXTENSION) at = afterBlocks(bytes, at + 2);
    else if (bytes[at] === IMAGE && at + DESCRIPTOR_BYTES < bytes.length) {
      frames += 1;
      width = Math.max(width, bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5));
      height = Math.max(height, bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7));
      at = afterBlocks(bytes, at + DESCRIPTOR_BYTES + colours(bytes[at + 9]!) + 1);
    } else at += 1; // Readers skip unknown bytes.
  }
  return frames === 0 ? undefined : { format: 'gif', width, height, frames };
}

/** Bytes of the colour table announced by flags. */
function colours(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 0x07) + 1) : 0;
}

/** Offset after a chain of length-prefixed blocks, ended by an empty one. */
function afterBlocks(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0) at += bytes[at]! + 1;
  return at + 1;
}

const FIRST_CHUNK = 12;
/** Name and length before a chunk's data. */
const CHUNK_HEADER = 8;

/** Reads a WebP (RFC 9649): lossy, lossless or extended, the last with animation frames. */
function webpHeader(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < 30 || nameAt(bytes, 0) !== 'RIFF' || nameAt(bytes, 8) !== 'WEBP') return undefined;
  const size = sizeOf(bytes, FIRST_CHUNK + CHUNK_HEADER);
  return size && { format: 'webp', ...size };
}

function sizeOf(bytes: Buffer, data: number): Omit<ImageHeader, 'format'> | undefined {
  switch (nameAt(bytes, FIRST_CHUNK)) {
    case 'VP8 ': {
      // A frame tag of three bytes, a start code, then two 14-bit sizes.
      if (bytes.readUIntBE(data + 3, 3) !== 0x9d012a) return undefined;
      const [width, height] = [bytes.readUInt16LE(data + 6) & 0x3fff, bytes.readUInt16LE(data + 8) & 0x3fff];
      return { width, height, frames: 1 };
    }
    case 'VP8L': {
      if (bytes[data] !== 0x2f) return undefined;
      const bits = bytes.readUInt32LE(data + 1);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, frames: 1 };
    }
    case 'VP8X': {
      const [width, height] = [bytes.readUIntLE(data + 4, 3) + 1, bytes.readUIntLE(data + 7, 3) + 1];
      return { width, height, frames: Math.max(1, countFrames(bytes)) };
    }
    default:
      return undefined;
  }
}

function countFrames(bytes: Buffer): number {
  let frames = 0;
  for (let at = FIRST_CHUNK; at + CHUNK_HEADER <= bytes.length; ) {
    if (nameAt(bytes, at) === 'ANMF') frames += 1;
    const length = bytes.readUInt32LE(at + 4);
    at += CHUNK_HEADER + length + (length % 2);
  }
  return frames;
}

function nameAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + 4);
}

/** Header size of OS/2, with 16-bit sizes. */
const CORE_HEADER = 12;
/** Minimum header size of Windows, with 32-bit sizes. */
const INFO_HEADER = 40;
/** Maximum header size, `BITMAPV5HEADER`. */
const MAX_HEADER = 124;

/** Reads a BMP (Microsoft, Bitmap Storage): top-down images have a negative height. */
function bmpHeader(bytes: Buffer): ImageHeader | undefined {
  if (bytes.length < 26 || bytes.toString('latin1', 0, 2) !== 'BM') return undefined;
  const size = bytes.readUInt32LE(14);
  if (size === CORE_HEADER) {
    return { format: 'bmp', width: bytes.readUInt16LE(18), height: bytes.readUInt16LE(20), frames: 1 };
  }
  if (size < INFO_HEADER || size > MAX_HEADER) return undefined;
  const height = Math.abs(bytes.readInt32LE(22));
  return { format: 'bmp', width: bytes.readInt32LE(18), height, frames: 1 };
}
