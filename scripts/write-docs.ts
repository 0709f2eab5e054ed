/** Writes the documentation pages that are made from tables: `npm run docs`. Tests fail where one has drifted. */
import { writeFileSync } from 'node:fs';
import { renderConfigDocs } from '../pipeline/config/renderConfigDocs.ts';
import { builtinProfiles } from '../schemas/coa/profiles/builtin.ts';
import { renderGrammarDocs } from '../schemas/coa/render/renderGrammarDocs.ts';
import { renderCommandDocs } from './renderCommandDocs.ts';
import { renderFilterDocs } from './renderFilterDocs.ts';
import { renderRecordDocs } from './renderRecordDocs.ts';
import { renderRuleDocs } from './renderRuleDocs.ts';

const pages = {
  'commands.md': await renderCommandDocs(),
  'configuration.md': renderConfigDocs(),
  'filters.md': renderFilterDocs(),
  'grammar.md': renderGrammarDocs(Object.values(builtinProfiles)),
  'lint-rules.md': renderRuleDocs(),
  'records.md': renderRecordDocs(),
};
for (const [name, text] of Object.entries(pages)) {
  writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
}
