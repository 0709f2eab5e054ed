import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ReviewLine, reviewLineSchema } from '../../schemas/run/reviewLine.ts';
import { decideReviews, reviewIdentity, standingReviews } from '../../stages/review/createReviewStage.ts';

const authors = ['ada', 'ben', 'cleo'] as const;

const lineArbitrary: fc.Arbitrary<ReviewLine> = fc
  .record({
    record_id: fc.constantFrom('trajectory_1', 'trajectory_2'),
    author: fc.constantFrom(...authors),
    verdict: fc.constantFrom('accept', 'reject', 'unset'),
    at: fc.constantFrom('2026-11-22T10:00:00Z', '2026-11-22T11:00:00Z'),
  })
  .map(({ verdict, ...line }) => ({
    ...line,
    task_id: 'task_1',
    verdict,
    ...(verdict === 'reject' && { reason: 'other' as const }),
  })) as fc.Arbitrary<ReviewLine>;

const linesArbitrary = fc.array(lineArbitrary, { maxLength: 12 });
const decided = (lines: readonly ReviewLine[], rule?: 'any_reject' | 'majority') =>
  decideReviews(standingReviews(lines), rule);

test('the order of the lines of different authors does not matter', () => {
  fc.assert(
    fc.property(linesArbitrary, fc.constantFrom('any_reject', 'majority'), (lines, rule) => {
      const byAuthor = [...lines].sort((a, b) => b.author.localeCompare(a.author));
      expect([...decided(byAuthor, rule)]).toEqual([...decided(lines, rule)]);
      expect(reviewIdentity(decided(byAuthor, rule))).toEqual(reviewIdentity(decided(lines, rule)));
    }),
  );
});

test("of an author's lines on a record the last one counts, whole", () => {
  fc.assert(
    fc.property(linesArbitrary, lineArbitrary, (lines, last) => {
      const standing = standingReviews([...lines, last]);
      const own = standing.filter(
        ({ record_id, author }) => record_id === last.record_id && author === last.author,
      );
      expect(own).toEqual(last.verdict === 'unset' ? [] : [last]);
      expect(standingReviews(standing)).toEqual(standing);
    }),
  );
});

test('each rule counts rejections by itself', () => {
  fc.assert(
    fc.property(linesArbitrary, (lines) => {
      const standing = standingReviews(lines);
      for (const id of ['trajectory_1', 'trajectory_2']) {
        const own = standing.filter(({ record_id }) => record_id === id);
        const rejects = own.filter(({ verdict }) => verdict === 'reject').length;
        const accepts = own.filter(({ verdict }) => verdict === 'accept').length;
        const any = decided(lines).get(id);
        const most = decided(lines, 'majority').get(id);
        expect(any?.rejections.length ?? 0).toBe(rejects);
        expect(most?.rejections.length ?? 0).toBe(rejects > accepts ? rejects : 0);
        for (const decision of [any, most].filter((one) => one !== undefined))
          expect(decision.reviewers).toBe(rejects + accepts);
      }
    }),
  );
});

test('a note alone stands, and decides nothing', () => {
  const note = { record_id: 'x', task_id: 't', author: 'ada', at: '2026-11-22T10:00:00Z', verdict: 'unset' };
  const line = reviewLineSchema.parse({ ...note, note: 'look at this again' });
  expect(standingReviews([line])).toEqual([line]);
  expect(decided([line]).size).toBe(0);
});

test('a rejection without a reason, and a name over two lines, are no reviews', () => {
  const line = { record_id: 'x', task_id: 't', author: 'ada', at: '2026-11-22T10:00:00Z', verdict: 'reject' };
  expect(reviewLineSchema.safeParse(line).success).toBe(false);
  const right = { ...line, reason: 'other' };
  expect(reviewLineSchema.safeParse(right).success).toBe(true);
  for (const author of ['a\nb', ' ada', '', 'a\u202Eb', 'x'.repeat(101)])
    expect(reviewLineSchema.safeParse({ ...right, author }).success, author).toBe(false);
});
