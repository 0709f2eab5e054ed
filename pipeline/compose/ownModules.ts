import { basename } from 'node:path';
import { OwnModule } from '../../base/programs/ownModule.ts';
import type { Resources } from '../../base/resources.ts';
import { askOwnCode, ownCodeFailure } from '../../contract/ownCode.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { FilterTools } from '../../schemas/filters/filterRule.ts';

/** Starts a module once and stops it again. Throws `UserError` with the line that fails to load. */
export async function checkModule(module: OwnModule): Promise<void> {
  try {
    await module.check();
  } finally {
    module.close();
  }
}

/** Module of `judge.module`; undefined if rules or a model judge. */
export function ownJudge({ judge }: Pick<Config, 'judge'>): OwnModule | undefined {
  const { module: file, module_timeout_s } = judge;
  return file === undefined
    ? undefined
    : new OwnModule({ key: 'judge.module', file, timeoutMs: module_timeout_s * 1000 });
}

/** Loads `judge.module` once; throws as {@link checkModule}. */
export async function checkOwnJudge({ config }: { readonly config: Config }): Promise<void> {
  const module = ownJudge(config);
  if (module) await checkModule(module);
}

/** Modules of `filters.rules`, by file. */
export function ownRules({ rules = [], rules_timeout_s }: Config['filters']): ReadonlyMap<string, OwnModule> {
  const timeoutMs = rules_timeout_s * 1000;
  return new Map(
    rules.map((file, at) => [file, new OwnModule({ key: `filters.rules.${at}`, file, timeoutMs })]),
  );
}

export function askOwnRules(
  filters: Config['filters'],
  resources: Resources,
): NonNullable<FilterTools['askOwnRules']> {
  const modules = ownRules(filters);
  for (const module of modules.values()) resources.keep(module);
  return async (trajectory) => {
    const broken: { rule: string; why: string }[] = [];
    for (const [file, module] of modules) {
      const why = await askOwnCode(module, trajectory);
      const rule = basename(file);
      if (typeof why === 'string') broken.push({ rule, why });
      else if (why !== null)
        throw ownCodeFailure(
          `${rule}: expected a text (why it is dropped) or null, got ${JSON.stringify(why).slice(0, 100)}`,
        );
    }
    return broken;
  };
}
