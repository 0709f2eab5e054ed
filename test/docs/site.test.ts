import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { parseHTML } from 'linkedom';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedFolder } from '../endToEnd/support/sharedFolder.ts';
import { repository } from './support/readPage.ts';

const folder = sharedFolder();
const pages = new Map<string, ReturnType<typeof parseHTML>['document']>();

beforeAll(() => {
  const eleventy = join(repository, 'node_modules/@11ty/eleventy/cmd.cjs');
  const args = [eleventy, '--config=docs/site/eleventy.config.js', `--output=${folder}`, '--quiet'];
  execFileSync(process.execPath, args, { cwd: repository, stdio: 'pipe' });
  for (const name of globSync('**/*.html', { cwd: folder }).sort()) {
    pages.set(name, parseHTML(readFileSync(join(folder, name), 'utf8')).document);
  }
});

/** Addresses that an element of every page has, with the page. */
const attributes = (selector: string, name: string) =>
  [...pages].flatMap(([page, document]) =>
    [...document.querySelectorAll(selector)].map((element) => ({ page, to: element.getAttribute(name)! })),
  );

describe('the docs site', () => {
  test('has a page for each one in docs/', () => {
    const sources = globSync(['*.md', 'decisions/*.md'], { cwd: join(repository, 'docs') });
    expect([...pages.keys()]).toEqual(sources.map((source) => source.replace('.md', '.html')).sort());
  });

  test('every link leads to a page and an anchor of the site', () => {
    const links = attributes('a[href]', 'href').filter(({ to }) => !/^https?:/.test(to));
    expect(links.length).toBeGreaterThan(3_000);
    const broken = links.filter(({ page, to }) => {
      const [path = '', anchor] = to.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      return !pages.has(target) || (anchor && !pages.get(target)!.getElementById(anchor));
    });
    expect(broken).toEqual([]);
  });

  test('what a page says stands before the links to the others', () => {
    for (const [name, document] of pages) {
      const html = document.documentElement.outerHTML;
      expect(html.indexOf('<main'), name).toBeLessThan(html.indexOf('<nav'));
    }
  });

  test('a long page lists its sections', () => {
    const links = pages.get('configuration.html')!.querySelectorAll('#sections a');
    const headings = pages.get('configuration.html')!.querySelectorAll('h2');
    expect([...links].map(({ textContent }) => textContent)).toEqual(
      [...headings].map(({ textContent }) => textContent),
    );
    expect(links.length).toBeGreaterThan(15);
  });

  test('pages load plain files of their own, and nothing from the network', () => {
    const loaded = [
      ...attributes('[src]', 'src'),
      ...attributes('link[href]', 'href'),
      ...attributes('object[data]', 'data'),
    ];
    expect(loaded.filter(({ page, to }) => !existsSync(resolve(folder, dirname(page), to)))).toEqual([]);
    const policies = attributes('meta[http-equiv="Content-Security-Policy"]', 'content');
    expect(policies.map(({ to }) => to)).toEqual([...pages].map(() => "connect-src 'none'"));
    for (const name of ['look.css', 'style.css', 'search.js']) {
      expect(readFileSync(join(folder, name), 'utf8')).not.toMatch(/@import|url\(|import\(|https?:/);
    }
  });

  test('a search finds the section that says it', () => {
    const sandbox: Record<string, unknown> = {};
    sandbox.globalThis = sandbox;
    for (const name of ['minisearch.js', 'search-index.js']) {
      runInNewContext(readFileSync(join(folder, name), 'utf8'), sandbox);
    }
    const found = runInNewContext(
      `MiniSearch.loadJS(searchIndex, { fields: ['heading', 'page', 'text'], storeFields: ['page', 'heading'] })
        .search('telemetry').map(({ id }) => id)`,
      sandbox,
    ) as string[];
    expect(found).toContain('network.html#what-is-sent-where');
    const ids = JSON.stringify(sandbox.searchIndex).match(/[\w/-]+\.html#[^"]*/g)!;
    const lost = ids.filter((id) => !pages.get(id.split('#')[0]!)?.getElementById(id.split('#')[1]!));
    expect(lost).toEqual([]);
  });
});
