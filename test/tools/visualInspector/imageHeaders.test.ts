import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { imageFormatSchema } from '../../../schemas/config/tools/visualInspector.ts';
import { checkImage, type ImageRules } from '../../../tools/visualInspector/checkImage.ts';
import { readImageHeader } from '../../../tools/visualInspector/readImageHeader.ts';
import { cases } from '../../support/cases.ts';
import { sampleImages } from './support/sampleImages.ts';

const pixels = 20 * 14;
const rules: ImageRules = { formats: imageFormatSchema.options, animations: true, maxPixels: 50e6 };

test.each([
  ['png', 'png', 1],
  ['apng', 'png', 3],
  ['jpeg', 'jpeg', 1],
  ['jpeg_progressive', 'jpeg', 1],
  ['gif', 'gif', 1],
  ['gif_animated', 'gif', 4],
  ['bmp', 'bmp', 1],
  ['webp_lossy', 'webp', 1],
  ['webp_lossless', 'webp', 1],
  ['webp_animated', 'webp', 2],
  ['webp_alpha', 'webp', 1],
] as const)('%s is known by its content, with its size', (name, format, frames) => {
  expect(readImageHeader(sampleImages[name])).toEqual({ format, width: 20, height: 14, frames });
});

/** A bitmap header by hand: OS/2's, or one whose lines come from the top. */
function bitmap(size: number, write: (header: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(60);
  bytes.write('BM', 0, 'latin1');
  bytes.writeUInt32LE(size, 14);
  write(bytes);
  return bytes;
}

test('bitmaps of OS/2, and those whose lines come from the top', () => {
  const os2 = bitmap(12, (bytes) => {
    bytes.writeUInt16LE(7, 18);
    bytes.writeUInt16LE(9, 20);
  });
  expect(readImageHeader(os2)).toEqual({ format: 'bmp', width: 7, height: 9, frames: 1 });
  const topDown = bitmap(40, (bytes) => {
    bytes.writeInt32LE(7, 18);
    bytes.writeInt32LE(-9, 22);
  });
  expect(readImageHeader(topDown)).toEqual({ format: 'bmp', width: 7, height: 9, frames: 1 });
});

/** The sample with the width and height that its header names replaced. */
function resized(name: 'png' | 'gif' | 'jpeg' | 'bmp', width: number, height: number): Buffer {
  const bytes = Buffer.from(sampleImages[name]);
  if (name === 'png') {
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
  } else if (name === 'gif') {
    bytes.writeUInt16LE(width, 6);
    bytes.writeUInt16LE(height, 8);
  } else if (name === 'bmp') {
    bytes.writeInt32LE(width, 18);
    bytes.writeInt32LE(height, 22);
  } else {
    const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
    bytes.writeUInt16BE(height, frame + 5);
    bytes.writeUInt16BE(width, frame + 7);
  }
  return bytes;
}

describe('an image', () => {
  test.each([
    ['png', 60_000, 60_000],
    ['png', 4_294_967_295, 4_294_967_295],
    ['gif', 65_535, 65_535],
    ['jpeg', 65_535, 65_535],
    ['bmp', 2_147_483_647, -2_147_483_648],
  ] as const)('of a few bytes and too many pixels is not shown: %s of %i x %i', (name, width, height) => {
    const bytes = resized(name, width, height);
    expect(bytes.length).toBeLessThan(1_000);
    expect(checkImage(bytes, rules)).toEqual({
      ok: false,
      reason: expect.stringMatching(/^it has \d+ x \d+ pixels, more than 50000000 together$/),
    });
  });

  test('of many small pictures counts them all', () => {
    expect(checkImage(sampleImages.gif_animated, { ...rules, maxPixels: 4 * pixels })).toMatchObject({
      ok: true,
    });
    expect(checkImage(sampleImages.gif_animated, { ...rules, maxPixels: 4 * pixels - 1 })).toEqual({
      ok: false,
      reason: 'it has 20 x 14 pixels in each of 4 pictures, more than 1119 together',
    });
    const announced = Buffer.from(sampleImages.apng);
    announced.writeUInt32BE(0xffff_ffff, announced.indexOf('acTL') + 4);
    expect(checkImage(announced, rules)).toMatchObject({ ok: false });
  });

  test.each([
    ['no width', resized('png', 0, 14)],
    ['no height', resized('jpeg', 20, 0)],
  ])('of %s is none', (_, bytes) => {
    expect(checkImage(bytes, rules)).toMatchObject({ ok: false });
  });
});

test.each([
  ['text', Buffer.from('red box'), /^it is not an image; /],
  ['HTML', Buffer.from('<!doctype html><img src="x.png">'), /^it is not an image; /],
  ['SVG', Buffer.from('<?xml version="1.0"?>\n<SVG xmlns="x"><script/></SVG>'), /^it is an SVG drawing; /],
  ['PDF', Buffer.from('%PDF-1.7\n'), /^it is not an image; /],
  ['TIFF', Buffer.from('II*\0\x08\0\0\0'), /^it is not an image; /],
  ['an icon', Buffer.from([0, 0, 1, 0, 1, 0, 16, 16]), /^it is not an image; /],
  ['AVIF', Buffer.from('\0\0\0\x1cftypavif\0\0\0\0'), /^it is not an image; /],
  ['a program', Buffer.from('\x7fELF\x02\x01\x01'), /^it is not an image; /],
  ['the signature of a PNG alone', sampleImages.png.subarray(0, 8), /^it is not an image; /],
  ['the signature of a JPEG alone', sampleImages.jpeg.subarray(0, 4), /^it is not an image; /],
  [
    'a RIFF file that is a sound',
    Buffer.from(`RIFF\x24\0\0\0WAVEfmt ${'\0'.repeat(30)}`),
    /^it is not an image; /,
  ],
  ['nothing', Buffer.alloc(0), /^it is empty$/],
])('%s is no image', (_, bytes, reason) => {
  expect(checkImage(bytes, rules)).toEqual({ ok: false, reason: expect.stringMatching(reason) });
});

test('what the endpoint does not take is not shown', () => {
  const still: ImageRules = { ...rules, formats: ['png', 'jpeg'], animations: false };
  expect(checkImage(sampleImages.png, still)).toMatchObject({ ok: true });
  expect(checkImage(sampleImages.bmp, still)).toEqual({
    ok: false,
    reason: 'it is a bmp image; these are taken: png, jpeg (jpg)',
  });
  expect(checkImage(sampleImages.apng, still)).toEqual({
    ok: false,
    reason: 'it is an animation of 3 pictures; only still images are taken',
  });
});

test('damaged images are read without a fault, whatever is damaged', () => {
  const samples = Object.values(sampleImages);
  fc.assert(
    fc.property(
      fc.constantFrom(...samples),
      fc.array(fc.tuple(fc.nat(1_000), fc.integer({ min: 0, max: 255 })), { maxLength: 6 }),
      fc.nat(1_000),
      (sample, damages, length) => {
        const bytes = Buffer.from(sample.subarray(0, length));
        for (const [at, value] of damages) if (at < bytes.length) bytes[at] = value;
        const header = readImageHeader(bytes);
        if (!header) return;
        expect(header.width).toBeGreaterThan(0);
        expect(header.height).toBeGreaterThan(0);
        expect(header.frames).toBeGreaterThan(0);
      },
    ),
    { numRuns: cases(3_000) },
  );
});
