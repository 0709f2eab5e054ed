import { once } from '../../base/once.ts';
import type { Resources } from '../../base/resources.ts';
import { UserError } from '../../base/userError.ts';
import { simulateFork } from '../../output/check/afmFork.ts';
import { textFaults } from '../../output/check/textFaults.ts';
import { openTokenText } from '../../output/check/tokenText.ts';
import { loadTokenizer } from '../../output/tokenizers/loadTokenizer.ts';
import type { Profile } from '../../schemas/coa/profile.ts';
import { BUNDLED_TOKENIZER } from '../../schemas/config/dataset.ts';
import type { FilterTools } from '../../schemas/filters/filterRule.ts';
import { openLanguageDetector } from '../../stages/filter/detectLanguage.ts';
import { readPassRates } from '../../stages/filter/passRates.ts';
import { textRulesOf } from '../config/checkFilters.ts';
import type { LoadedConfig } from '../config/loadConfig.ts';
import { askOwnRules, checkModule, ownRules } from './ownModules.ts';

/** Opens the measuring parts of the filter settings on first use. */
export function filterTools({ config }: LoadedConfig, resources: Resources): FilterTools {
  const { length, languages, check, pass_rate, rules } = config.filters;
  return {
    ...(length && { countTokens: tokenCounter(config.dataset.tokenizer, resources) }),
    ...(languages && { detectLanguage: languageDetector(languages) }),
    ...(check && { check: textChecker(check) }),
    ...(rules && { askOwnRules: askOwnRules(config.filters, resources) }),
    ...(pass_rate?.from !== undefined && { passRateOf: passRates(pass_rate.from) }),
  };
}

/**
 * Opens everything that the filter settings name, and closes it again.
 *
 * @throws UserError for the first unusable one
 */
export async function checkFilterTools(filters: LoadedConfig['config']['filters']) {
  const { languages, pass_rate } = filters;
  for (const module of ownRules(filters).values()) await checkModule(module);
  if (languages) await openDetector(languages);
  if (pass_rate?.from !== undefined) await readPassRates(pass_rate.from, RATES_KEY);
}

/** Counts tokens with a tokenizer file, opened on first use. */
export function tokenCounter(file: string, resources: Resources) {
  const open = once(async () => resources.keep(await loadTokenizer(file)));
  return async (text: string) => (await (await open()).encode(text)).length;
}

function languageDetector(wanted: readonly string[]) {
  const open = once(() => openDetector(wanted));
  return async (text: string) => (await open())(text);
}

async function openDetector(wanted: readonly string[]) {
  const { detect, languages } = await openLanguageDetector();
  const unknown = wanted.find((language) => !languages.includes(language));
  if (unknown === undefined) return detect;
  throw new UserError(
    `filters.languages: ${unknown} can't be told from other languages; those that can are ${languages.join(', ')}`,
  );
}

function textChecker(wanted: readonly string[]) {
  const rules = textRulesOf(wanted);
  const open = once(() => openTokenText(BUNDLED_TOKENIZER));
  return async (profile: Profile, text: string) => {
    const ofFork = rules.has('afm_fork') ? (await simulateFork(text, await open())).faults : [];
    return [...textFaults(text, profile), ...ofFork].filter(({ rule }) => rules.has(rule));
  };
}

const RATES_KEY = 'filters.pass_rate.from';

function passRates(file: string) {
  const open = once(() => readPassRates(file, RATES_KEY));
  return async (task: { readonly task_id: string; readonly question: string }) => (await open()).rateOf(task);
}
