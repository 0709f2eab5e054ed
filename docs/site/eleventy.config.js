import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import MiniSearch from 'minisearch';

/** Pages in the order of a reader's way, by what they are for; decisions come last, by number. */
const CHAPTERS = {
  Begin: ['index', 'first-run', 'tasks', 'synthesis', 'own-endpoint', 'limits'],
  Tools: [
    'web-search',
    'crawling',
    'wiki-search',
    'sandbox',
    'visual-inspector',
    'mcp',
    'own-code',
    'tool-servers',
  ],
  'What is kept': ['judging', 'filters', 'balance', 'decontamination', 'grammar'],
  'Masks and trainers': ['formats', 'mixing', 'check', 'training'],
  'Students and scores': ['student', 'evaluation', 'closed-loop', 'real-teacher', 'agentic-rl'],
  Scale: ['runs', 'rollouts', 'scale-out', 'viewer', 'caching', 'standalone'],
  Exchange: ['conversion', 'interchange', 'hub', 'library'],
  'Look up': [
    'commands',
    'configuration',
    'records',
    'exit-codes',
    'network',
    'run-reference',
    'judging-rules',
    'judging-maths',
    'sandbox-attacks',
  ],
};

const DECISIONS = 'Decisions';

const here = import.meta.dirname;

/** A page's name below `docs/`. Eleventy's own names leave out dates. */
function nameOf({ inputPath }) {
  return inputPath.replace(/^.*?docs\//, '').replace(/\.md$/, '');
}

/** The anchor of a heading, as GitHub makes it. */
function slug(heading) {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** Headings get anchors, links to pages lead to what is made of them. */
function asPages(markdown) {
  const { rules } = markdown.renderer;
  markdown.set({ html: true, linkify: false, typographer: false });
  rules.heading_open = (tokens, at, options, _env, self) => {
    tokens[at].attrSet('id', slug(textOf(tokens[at + 1])));
    return self.renderToken(tokens, at, options);
  };
  rules.link_open = (tokens, at, options, _env, self) => {
    const href = tokens[at].attrGet('href');
    if (!/^[a-z]+:/.test(href)) tokens[at].attrSet('href', href.replace(/\.md(?=#|$)/, '.html'));
    return self.renderToken(tokens, at, options);
  };
  // Comments say how a test runs a block.
  rules.html_block = () => '';
  const { table_open: open = (...given) => given[4].renderToken(...given) } = rules;
  rules.table_open = (...given) => `<div class="wide">${open(...given)}`;
  rules.table_close = () => '</table></div>';
}

/** What a reader sees of a heading: no marks, no addresses. */
function textOf(inline) {
  return inline.children.map(({ content }) => content).join('');
}

/** The sections of a page that its own list names. */
function headingsOf(rawInput) {
  const parts = partsOf(rawInput).filter(({ level }) => level === 2);
  return parts.map(({ heading }) => ({ heading, anchor: slug(heading) }));
}

/** The headings of a page with the lines below them. */
function partsOf(rawInput) {
  const parts = [];
  let isCode = false;
  for (const line of rawInput.replace(/<!--.*?-->/gs, '').split('\n')) {
    if (/^ *```/.test(line)) isCode = !isCode;
    const [marks] = isCode ? [] : (/^#{1,4}(?= )/.exec(line) ?? []);
    if (marks) parts.push({ level: marks.length, heading: line.replace(/^#+ |`/g, ''), lines: [] });
    else parts.at(-1)?.lines.push(line);
  }
  return parts;
}

/** What a search finds of a page. */
function sectionsOf({ data, rawInput }) {
  return partsOf(rawInput).map(({ heading, lines }) => ({
    id: `${data.file}#${slug(heading)}`,
    page: data.title,
    heading,
    text: lines.join('\n'),
  }));
}

/** Writes the search's program and its index as scripts, so that pages opened as files can read them. */
function writeSearch(output, documents) {
  const search = new MiniSearch({ fields: ['heading', 'page', 'text'], storeFields: ['page', 'heading'] });
  search.addAll(documents);
  const library = createRequire(import.meta.url).resolve('minisearch');
  const umd = path.join(path.dirname(library), '../umd/index.js');
  writeFileSync(path.join(output, 'minisearch.js'), readFileSync(umd));
  writeFileSync(path.join(output, 'search-index.js'), `var searchIndex = ${JSON.stringify(search)};\n`);
}

/** The site: plain files of `docs/*.md`, which need neither a server nor a network. */
export default function site(eleventy) {
  const documents = [];
  eleventy.amendLibrary('md', asPages);
  eleventy.ignores.add('docs/site/**');
  const look = path.join(here, '../../viewer/pages/look.css');
  eleventy.addPassthroughCopy({ [look]: 'look.css' });
  eleventy.addPassthroughCopy({ [`${here}/style.css`]: 'style.css', [`${here}/search.js`]: 'search.js' });
  eleventy.addPassthroughCopy({ [path.join(here, '../pictures')]: 'pictures' });
  eleventy.addGlobalData('layout', 'page.njk');
  eleventy.addGlobalData(
    'permalink',
    () =>
      ({ page }) =>
        `${nameOf(page)}.html`,
  );
  eleventy.addGlobalData('eleventyComputed', () => ({
    title: ({ page }) => /^# (.*)$/m.exec(page.rawInput ?? '')?.[1]?.replaceAll('`', '') ?? page.fileSlug,
    file: ({ page }) => `${nameOf(page)}.html`,
    sections: ({ page }) => headingsOf(page.rawInput ?? ''),
    root: ({ page }) => '../'.repeat(nameOf(page).split('/').length - 1),
  }));
  eleventy.addCollection('chapters', (api) => {
    const all = api.getAll();
    for (const page of all) documents.push(...sectionsOf(page));
    const byName = new Map(all.map((page) => [nameOf(page), page]));
    const told = Object.entries(CHAPTERS).map(([title, names]) => ({
      title,
      pages: names.map((name) => {
        const page = byName.get(name);
        if (!page) throw new Error(`the site names a page docs/${name}.md that is not there`);
        byName.delete(name);
        return page;
      }),
    }));
    const decisions = [...byName].filter(([name]) => name.startsWith('decisions/'));
    for (const [name] of decisions) byName.delete(name);
    if (byName.size > 0) throw new Error(`pages that no chapter of the site has: ${[...byName.keys()]}`);
    return [...told, { title: DECISIONS, pages: decisions.map(([, page]) => page) }];
  });
  eleventy.on('eleventy.after', ({ directories }) => writeSearch(directories.output, documents));
  return {
    dir: { input: 'docs', includes: 'site', output: 'docs-site' },
    templateFormats: ['md'],
    markdownTemplateEngine: false,
  };
}
