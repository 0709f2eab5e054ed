import fc from 'fast-check';
import { expect, test } from 'vitest';
import { segmentParts } from '../../../output/rows/rowPieces.ts';
import { trajectoryArbitrary } from '../../support/trajectoryArbitrary.ts';

test('the parts of a segment that the serialiser wrote are its tags, and joined they are its text', () => {
  fc.assert(
    fc.property(trajectoryArbitrary(), ({ segments }) => {
      for (const segment of segments) {
        const { start, body, end, feeds } = segmentParts(segment);
        expect([start, end]).toEqual([`<${segment.tag}>`, `</${segment.tag}>`]);
        expect(feeds).toMatch(/^\n{0,2}$/);
        expect(start + body + end + feeds).toBe(segment.text);
      }
    }),
    { numRuns: 50 },
  );
});

test('parting takes time in proportion to the text, however many line feeds it has', () => {
  const body = `${'\n'.repeat(1_000_000)}x`;
  expect(segmentParts({ tag: 'a', text: `<a>${body}</a>\n` })).toMatchObject({ body, feeds: '\n' });
});

test.each([
  ['<think>', { start: '<think>', body: '', end: '', feeds: '' }],
  ['<think></think>', { start: '<think>', body: '', end: '</think>', feeds: '' }],
  [
    '<think><think></think></think>\n',
    { start: '<think>', body: '<think></think>', end: '</think>', feeds: '\n' },
  ],
  ['</think>', { start: '', body: '', end: '</think>', feeds: '' }],
  [' <think>a</think> ', { start: '', body: ' <think>a</think> ', end: '', feeds: '' }],
  ['\n', { start: '', body: '', end: '', feeds: '\n' }],
  ['', { start: '', body: '', end: '', feeds: '' }],
])('only tags at the very ends are structure: %j', (text, parts) => {
  expect(segmentParts({ tag: 'think', text })).toEqual(parts);
});
