import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { startCli } from '../../cli/support/runCli.ts';

/** For one step of a page: on a loaded machine a second may be twenty. */
export const STEP_MS = 120_000;
/** Debian's; another can be named. */
const executablePath = process.env.COA_CHROMIUM ?? '/usr/bin/chromium';
/** Chromium's own sandbox does not work for root, as which CI runs. */
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** Starts Chromium. Throws where there is none, with what installs it. */
async function startBrowser(): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error(
      `no browser at ${executablePath}: install it with scripts/setup-system.sh browser, or name another in COA_CHROMIUM`,
    );
  return chromium.launch({ executablePath, args });
}

/**
 * A browser and a viewer for all tests of a file.
 *
 * @param write makes what the viewer shows
 */
export function sharedViewer(folder: string, write: () => unknown, given: readonly string[] = []) {
  let browser: Browser;
  let viewer: Awaited<ReturnType<typeof openViewer>>;
  beforeAll(async () => {
    [browser] = await Promise.all([startBrowser(), write()]);
    viewer = await openViewer(browser, folder, given);
  });
  afterAll(async () => {
    await viewer?.close();
    await browser?.close();
  });
  return {
    page: () => viewer.page(),
    /** Another viewer of the same folder, for the test that asks. */
    open: async (own: readonly string[]) => {
      const opened = await openViewer(browser, folder, own);
      onTestFinished(() => opened.close());
      return opened;
    },
    get browser() {
      return browser;
    },
    get base() {
      return viewer.base;
    },
    get faults() {
      return viewer.faults;
    },
  };
}

/** Starts `coa-distill view` in a folder, in a process of its own, and lets a browser in. */
async function openViewer(browser: Browser, cwd: string, given: readonly string[]) {
  const child = startCli(['view', ...given, '--json'], { cwd });
  child.stderr?.resume();
  const { value } = await createInterface({ input: child.stdout! })[Symbol.asyncIterator]().next();
  const { address } = JSON.parse(String(value)) as { address: string };
  const base = new URL(address).origin;
  const first = await browser.newContext();
  await (await first.newPage()).goto(address);
  const cookies = await first.cookies();
  const faults: string[] = [];
  return {
    base,
    /** Errors of pages, dialogs, and requests to anywhere else. */
    faults,
    /** A page of a window of its own, closed when its test has finished, which fails where something went wrong in it. */
    page: async () => {
      const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, baseURL: base });
      onTestFinished(async () => {
        const found = faults.splice(0);
        await context.close();
        expect(found).toEqual([]);
      });
      await context.addCookies(cookies);
      const page = await context.newPage();
      page.setDefaultTimeout(STEP_MS);
      page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
      page.on('dialog', (dialog) => {
        faults.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(`console: ${message.text()}`);
      });
      page.on('request', (request) => {
        if (new URL(request.url()).origin !== base) faults.push(`request: ${request.url()}`);
      });
      return page;
    },
    close: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** All rules at each width; where only the colours differ, only the rules that look at colours. */
const allRules = 'axe.run()';
const rulesOfColours = "axe.run({ runOnly: ['color-contrast', 'link-in-text-block'] })";
const looks = [
  { width: 390, colorScheme: 'light', rules: allRules },
  { width: 390, colorScheme: 'dark', rules: rulesOfColours },
  { width: 1_280, colorScheme: 'dark', rules: allRules },
  { width: 1_280, colorScheme: 'light', rules: rulesOfColours },
] as const;

/**
 * Findings of axe on a page, and places where it is wider than its window: on a phone and on a screen, light and dark.
 *
 * @param isPart the same page was looked at in full: each width and each colours once
 */
export async function findingsOf(page: Page, isPart = false): Promise<string[]> {
  await page.evaluate(axe);
  const found: string[] = [];
  for (const { width, colorScheme, rules } of looks.filter((look) => !isPart || look.rules === allRules)) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    const { violations } = await page.evaluate<AxeResults>(rules);
    const excess = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    const own = [
      ...violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(shortHtml).join(' | ')}`),
      ...(excess > 0 ? [`${excess} pixels wider than the window`] : []),
    ];
    found.push(...own.map((finding) => `${width} px, ${colorScheme}: ${finding}`));
  }
  return found;
}

function shortHtml({ html }: { readonly html: string }): string {
  return html.slice(0, 150);
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}
