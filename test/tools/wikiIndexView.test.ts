import { expect, test } from 'vitest';
import { IndexView } from '../../cli/index/indexView.ts';

/** A view on a clock and a screen of the test's own. */
function viewOn(isTTY: boolean) {
  const written: string[] = [];
  let now = 0;
  const out = { isTTY, columns: 30, write: (text: string) => written.push(text) > 0 };
  const view = new IndexView({ monotonicMs: () => now }, out);
  const showAt = (ms: number, share: number) => {
    now = ms;
    view.show('words', { passages: 100 * share, share });
  };
  return { view, written, showAt };
}

test('a build that was quick says nothing of its steps', () => {
  const { view, written, showAt } = viewOn(false);
  showAt(10, 0.5);
  view.step('merging');
  view.note('done');
  expect(written).toEqual(['done\n']);
});

test('after a line of progress, a step is a line too', () => {
  const { view, written, showAt } = viewOn(false);
  showAt(0, 0);
  showAt(6_000, 0.5);
  showAt(7_000, 0.6);
  view.step('merging');
  expect(written).toEqual(['words      50 % · 50 passages · 8.3/s · 6.0 s left\n', 'merging\n']);
});

test('on a terminal each replaces the one before, cut to its width', () => {
  const { view, written, showAt } = viewOn(true);
  showAt(0, 0);
  showAt(200, 0.5);
  view.step('merging the words of a hundred passages');
  view.note('done');
  expect(written.map((text) => text.replace('\r\u001b[J', '<'))).toEqual([
    '<words      50 % · 50 passages',
    '<merging the words of a hundre',
    '<done\n',
  ]);
});

test('speed and the time left are those of this session, and at the end no time is left', () => {
  const { written, showAt } = viewOn(false);
  showAt(0, 0.4);
  showAt(10_000, 0.5);
  showAt(20_000, 1);
  expect(written).toEqual([
    'words      50 % · 50 passages · 1.0/s · 50 s left\n',
    'words      100 % · 100 passages · 3.0/s\n',
  ]);
});
