import { useState } from 'preact/hooks';

/** Choices stored in this browser, with their setter. */
export function useStored<T extends object>(key: string, first: T): [T, (next: Partial<T>) => void] {
  const [choices, setChoices] = useState<T>(() => ({ ...first, ...stored(key) }));
  const choose = (next: Partial<T>): void => {
    const all = { ...choices, ...next };
    setChoices(all);
    localStorage.setItem(key, JSON.stringify(all));
  };
  return [choices, choose];
}

function stored(key: string): object {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}');
  } catch {
    // Nothing valid is stored, or storage is not available to pages from disk.
    return {};
  }
}
