/** Writes the documentation pages that are made from tables: `npm run docs`. Tests fail where one has drifted. */
import '../capabilities.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { builtinProfiles } from '../schemas/coa/profiles/builtin.ts';
import { renderCheckDocs } from './renderCheckDocs.ts';
import { renderCommandDocs } from './renderCommandDocs.ts';
import { renderConfigDocs } from './renderConfigDocs.ts';
import { renderFilterDocs } from './renderFilterDocs.ts';
import { renderGrammarSections } from './renderGrammarDocs.ts';
import { renderRecordDocs } from './renderRecordDocs.ts';

/** Text before the rules of all profiles is written by hand. */
function grammarPage(): string {
  const page = readFileSync(new URL('../docs/grammar.md', import.meta.url), 'utf8');
  return (
    page.slice(0, page.indexOf('\n## In every profile\n') + 1) +
    renderGrammarSections(Object.values(builtinProfiles))
  );
}

const pages = {
  'check.md': renderCheckDocs(),
  'commands.md': await renderCommandDocs(),
  'configuration.md': renderConfigDocs(),
  'filters.md': renderFilterDocs(),
  'grammar.md': grammarPage(),
  'records.md': renderRecordDocs(),
};
for (const [name, text] of Object.entries(pages)) {
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
}
