import { useEffect, useRef } from 'preact/hooks';

/** What each key does on a page, by `KeyboardEvent.key`. */
export type KeyActions = Readonly<Record<string, () => void>>;

/** Listens to keys while a page is there; not where somebody types, nor with Ctrl, Alt or Meta. */
export function useKeys(actions: KeyActions): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event)) return;
      const action = current.current[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

/** `j` and `k` go to the next and previous of what a selector finds. */
export function useListKeys(selector: string): void {
  const go = (step: number) => () => {
    const all = [...document.querySelectorAll<HTMLElement>(selector)];
    const at = all.indexOf(document.activeElement as HTMLElement) + step;
    all[Math.min(all.length - 1, Math.max(0, at))]?.focus();
  };
  useKeys({ j: go(1), k: go(-1) });
}

function isTyping({ key, target }: KeyboardEvent): boolean {
  const element = target as HTMLElement;
  // Escape closes it, too.
  if (document.querySelector('dialog[open]')) return true;
  if (key === 'Escape') return false;
  if (/^(?:INPUT|SELECT|TEXTAREA)$/.test(element.tagName))
    return !/^(?:checkbox|range)$/.test((element as HTMLInputElement).type);
  return key === 'Enter' && /^(?:A|BUTTON|SUMMARY)$/.test(element.tagName);
}

/** All keys with what they do, for the help. */
export const keyTable: readonly [key: string, meaning: string][] = [
  [
    'j / k',
    'next or previous row; in a record the next or previous segment; elsewhere the next or previous entry',
  ],
  ['Enter', 'open the row'],
  ['n / p', 'next or previous record of the list'],
  ['/', 'search'],
  ['f', 'filters'],
  ['t', 'text or tokens'],
  ['o', 'fold or unfold all observations'],
  ['c', 'compare the two runs that are ticked'],
  ['u', 'back to the list, or to the run'],
  ['y', 'copy the command, or the id of the record'],
  ['a / r / u', 'on the review page: accept, reject, undo'],
  ['m', 'on the review page: mark the segment as not to be trained'],
  ['c', 'on the review page: write a note'],
  ['?', 'this help'],
];
