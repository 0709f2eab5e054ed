import { useEffect, useRef } from 'preact/hooks';

export const keyTable = [
  {
    keys: ['j', 'k'],
    meaning:
      'next or previous row; in a record the next or previous segment; elsewhere the next or previous entry',
  },
  { keys: ['Enter'], meaning: 'open the row' },
  { keys: ['n', 'p'], meaning: 'next or previous record of the list' },
  { keys: ['/'], meaning: 'search' },
  { keys: ['f'], meaning: 'filters' },
  { keys: ['t'], meaning: 'text or tokens' },
  { keys: ['o'], meaning: 'fold or unfold all observations; in a list open the row' },
  { keys: ['c'], meaning: 'compare the two runs that are ticked; on the review page write a note' },
  { keys: ['u'], meaning: 'back to the list, or to the run; on the review page undo' },
  { keys: ['y'], meaning: 'copy the command, or the id of the record' },
  { keys: ['a'], meaning: 'accept' },
  { keys: ['r'], meaning: 'reject' },
  { keys: ['1', '2', '3', '4', '5', '6', '7'], meaning: 'the reason why it is rejected' },
  { keys: ['m'], meaning: 'mark the segment as not to be trained' },
  { keys: ['Escape'], meaning: 'leave a field' },
  { keys: ['?'], meaning: 'this help' },
] as const;

type Key = (typeof keyTable)[number]['keys'][number];

/** `KeyboardEvent.key` -> action. */
export type KeyActions = Readonly<Partial<Record<Key, () => void>>>;

const listening = new Set<{ readonly current: KeyActions }>();

/** Keys with an action on the open page. */
export function activeKeys(): ReadonlySet<string> {
  return new Set([...listening].flatMap(({ current }) => Object.keys(current)));
}

/** Handles keys while mounted, except in text fields and with Ctrl, Alt or Meta. */
export function useKeys(actions: KeyActions): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.altKey || event.metaKey || isTyping(event)) return;
      const action = current.current[event.key as Key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey);
    listening.add(current);
    return () => {
      removeEventListener('keydown', onKey);
      listening.delete(current);
    };
  }, []);
}

/** Moves focus by `j` and `k` among the visible elements of a selector. */
export function useListKeys(selector: string): void {
  const go = (step: number) => () => {
    const all = [...document.querySelectorAll<HTMLElement>(selector)].filter((one) => one.checkVisibility());
    const at = all.indexOf(document.activeElement as HTMLElement) + step;
    all[Math.min(all.length - 1, Math.max(0, at))]?.focus();
  };
  useKeys({ j: go(1), k: go(-1) });
}

function isTyping({ key, target }: KeyboardEvent): boolean {
  const element = target as HTMLElement;
  // Escape closes it too.
  if (document.querySelector('dialog[open]')) return true;
  if (key === 'Escape') return false;
  if (/^(?:INPUT|SELECT|TEXTAREA)$/.test(element.tagName))
    return !/^(?:checkbox|range)$/.test((element as HTMLInputElement).type);
  return key === 'Enter' && /^(?:A|BUTTON|SUMMARY)$/.test(element.tagName);
}
