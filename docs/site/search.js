// Plain scripts, not modules: a browser loads no module for a page that was opened as a file.
const search = globalThis.MiniSearch.loadJS(globalThis.searchIndex, {
  fields: ['heading', 'page', 'text'],
  storeFields: ['page', 'heading'],
});
const input = document.getElementById('search');
const found = document.getElementById('found');
const pages = document.getElementById('pages');
const MOST_SHOWN = 20;
const sections = document.getElementById('sections');

// A phone shows the page itself first.
if (sections) sections.open = globalThis.matchMedia('(min-width: 50rem)').matches;

input.addEventListener('input', () => {
  const words = input.value.trim();
  const options = { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { heading: 3, page: 2 } };
  const hits = words === '' ? [] : search.search(words, options).slice(0, MOST_SHOWN);
  found.replaceChildren(...hits.map(itemOf));
  if (words !== '' && hits.length === 0) found.append('Nothing found');
  found.hidden = words === '';
  pages.hidden = words !== '';
});

function itemOf({ id, page, heading }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = document.body.dataset.root + id;
  link.textContent = heading === page ? page : `${heading} · ${page}`;
  item.append(link);
  return item;
}
