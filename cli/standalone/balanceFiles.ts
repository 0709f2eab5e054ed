import { UserError } from '../../base/userError.ts';
import { balanceRows } from '../../operations/standalone/balanceRows.ts';
import { loadSettings, namedProfile } from '../../operations/standalone/loadSettings.ts';
import {
  type BalanceConfig,
  type BalanceDimension,
  balanceConfigSchema,
} from '../../schemas/config/balance.ts';
import type { BalanceTable } from '../../schemas/run/balanceTable.ts';
import { formatTable } from '../format.ts';
import { type ProfiledRowOptions, shapeRows } from './shapeRows.ts';

export interface BalanceOptions extends ProfiledRowOptions {
  readonly by?: readonly BalanceDimension[];
  readonly cap?: number;
  readonly quota?: number;
  readonly temperature?: number;
}

/** `coa-distill balance FILE... --out FILE`: applies quotas, caps and temperature to rows of any known layout. */
export async function balanceFiles(files: readonly string[], options: BalanceOptions): Promise<void> {
  const { config, profiles } = await loadSettings(options);
  const balance = withRule(config.balance ?? balanceConfigSchema.parse({}), options);
  let table: BalanceTable = [];
  const stage = balanceRows({
    profiles,
    profile: namedProfile(profiles, options.profile),
    systemPrompt: config.dataset.system_prompt,
    config: balance,
    seed: config.seed,
    onCounts: (counts) => {
      table = counts;
    },
  });
  await shapeRows(files, stage, options, () => ({ lines: balanceLines(table), counts: { groups: table } }));
}

/** Configured rules, followed by the one from the command line. */
function withRule(balance: BalanceConfig, options: BalanceOptions): BalanceConfig {
  const { by } = options;
  const rules = [...balance.rules, ...ruleOf(options)];
  if (by !== undefined && rules.length === balance.rules.length)
    throw new UserError('--by needs --cap, --quota or --temperature');
  if (rules.length === 0)
    throw new UserError(
      'nothing to balance by: expected --cap N, --quota SHARE or --temperature T, or --config with balance.rules',
    );
  return balanceConfigSchema.parse({ ...balance, rules });
}

function ruleOf({ by = ['profile'], cap, quota, temperature }: BalanceOptions): object[] {
  return [
    ...(cap === undefined ? [] : [{ rule: 'cap', by, most: cap }]),
    ...(quota === undefined ? [] : [{ rule: 'quota', by, share: quota }]),
    ...(temperature === undefined ? [] : [{ rule: 'temperature', by, temperature }]),
  ];
}

/** Maximum groups shown per dimension; a dataset may have thousands of sources. */
const MAX_GROUPS = 20;

function balanceLines(table: BalanceTable): string[] {
  const rows = table.flatMap(({ dimension, groups }) => [
    ...groups
      .slice(0, MAX_GROUPS)
      .map(({ group, before, after, rows: written, weight }) => [
        dimension,
        group,
        before,
        after,
        written,
        weight,
      ]),
    ...(groups.length > MAX_GROUPS ? [[dimension, `... and ${groups.length - MAX_GROUPS} more`]] : []),
  ]);
  return formatTable([['by', 'group', 'before', 'after', 'rows', 'weight'], ...rows]);
}
