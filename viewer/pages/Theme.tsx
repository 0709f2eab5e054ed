import { useLayoutEffect } from 'preact/hooks';
import { useStored } from './useStored.ts';

/** Values of CSS `color-scheme`, by what they are called. Each click leads to the next. */
const themes = { 'as the system says': 'light dark', light: 'light', dark: 'dark' };

/** Switches the colours of all pages between light, dark and what the system says. */
export function Theme() {
  const [{ scheme }, choose] = useStored('coa-distill theme', { scheme: themes['as the system says'] });
  useLayoutEffect(() => {
    document.documentElement.style.colorScheme = scheme;
  }, [scheme]);
  const all = Object.entries(themes);
  const at = all.findIndex(([, value]) => value === scheme);
  const title = `Theme: ${all[at]?.[0]}`;
  return (
    <button
      type="button"
      aria-label={title}
      title={title}
      onClick={() => choose({ scheme: all[(at + 1) % all.length]![1] })}
    >
      ◐
    </button>
  );
}
