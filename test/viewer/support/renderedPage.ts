import { setTimeout as delay } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { parseHTML } from 'linkedom';
import type { ExportedPage } from '../../../viewer/exportPage.ts';

/** What an exported page carries. */
export function carried(html: string): Required<ExportedPage> {
  return JSON.parse(parseHTML(html).document.getElementById('exported')!.textContent);
}

const noListener = (): void => {};
const given = { URL, URLSearchParams, AbortController, Intl, performance, console };
const timers = { setTimeout, clearTimeout, queueMicrotask };

/**
 * An exported page after its program has run, without a browser.
 *
 * @param options `program`: default: the page's own; `search`: what stands behind the page's address
 */
export async function renderedPage(html: string, options: { program?: string; search?: string } = {}) {
  const { document } = parseHTML(html);
  const { program = document.querySelector('script[type=module]')!.textContent, search = '' } = options;
  const location = new URL(`file:///report.html${search}`);
  const events = { addEventListener: noListener, removeEventListener: noListener };
  runInNewContext(program, { document, location, navigator: {}, ...events, ...given, ...timers });
  // Effects wait for a frame, of which there is none; each answer begins the next.
  for (let round = 0; round < 4; round++) await delay(60);
  const texts = (selector: string): string[] =>
    [...document.querySelectorAll(selector)].map((node) => node.textContent ?? '');
  return { document, texts };
}
