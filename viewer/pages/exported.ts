import { options } from 'preact';
import type { ExportedPage } from '../exportPage.ts';

/** What a page carries that was exported, which opens from the disk and asks nobody; undefined in the viewer. */
export const exported: Required<ExportedPage> | undefined =
  JSON.parse(document.getElementById('exported')?.textContent ?? 'null') ?? undefined;

/** Where a link of the viewer leads in an export; undefined where the export does not have that page. */
export function exportedHref(href: string): string | undefined {
  const { pathname, search } = new URL(href, 'http://viewer');
  const file = pathname === exported?.path ? '' : exported?.files[pathname];
  return file === undefined ? undefined : `${file}${search}`;
}

// An element without an address is no link: it can't be focused, and is not read out as one.
if (exported)
  options.vnode = ({ type, props }) => {
    const link = props as { href?: string | undefined };
    if (type === 'a' && link.href?.startsWith('/')) link.href = exportedHref(link.href);
  };
