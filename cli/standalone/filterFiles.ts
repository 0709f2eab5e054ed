import { Resources } from '../../base/resources.ts';
import { quoteShellWord } from '../../base/shellWord.ts';
import { UserError } from '../../base/userError.ts';
import { filterRows } from '../../operations/standalone/filterRows.ts';
import { loadSettings, namedProfile } from '../../operations/standalone/loadSettings.ts';
import { filterTools } from '../../pipeline/compose/filterTools.ts';
import { formatCount } from '../format.ts';
import { type AfterRows, type ProfiledRowOptions, shapeRows } from './shapeRows.ts';

/** `coa-distill filter FILE... --out FILE`: applies the filter's rules to rows of any known layout. */
export async function filterFiles(files: readonly string[], options: ProfiledRowOptions): Promise<void> {
  if (options.out === undefined)
    throw new UserError(
      `filter: expected --out FILE, or --out - for standard output; a run is filtered again by: coa-distill refilter ${quoteShellWord(files[0]!)} --set KEY=VALUE`,
    );
  const loaded = await loadSettings(options);
  const { config, profiles } = loaded;
  await using resources = new Resources();
  let unjudged = 0;
  const stage = filterRows({
    profiles,
    profile: namedProfile(profiles, options.profile),
    systemPrompt: config.dataset.system_prompt,
    filter: {
      profileOf: profiles.profileOf,
      filters: config.filters,
      seed: config.seed,
      tools: filterTools(loaded, resources),
    },
    onUnjudged: () => {
      unjudged += 1;
    },
  });
  const note = (): AfterRows => ({
    lines:
      unjudged === 0
        ? []
        : [
            `${formatCount(unjudged)} rows hold no verdict on their answer: wrong_answer can't be told of them`,
          ],
    counts: { without_verdict: unjudged },
  });
  await shapeRows(files, stage, options, note);
}
