import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';

/** What a look at the machine found. */
export interface Check {
  readonly what: string;
  readonly ok: boolean;
  /** What is there, or what is wrong. */
  readonly found: string;
  readonly neededFor: string;
  /** How to get it; shown when it is missing. */
  readonly howToGet: string;
  /** True when the configuration can't run without it. */
  readonly required: boolean;
  /** True where it was not checked, since nothing needs it. */
  readonly skipped?: true;
  /** True for one of several parts of another check: printed where it is not ok, and with `--json`. */
  readonly isPart?: true;
}

/** A finding, and where it differs from its row. */
export type Finding = Pick<Check, 'ok' | 'found'> & Partial<Check>;

/** One thing that `doctor` looks at. */
export interface CheckRow extends Pick<Check, 'what' | 'neededFor' | 'howToGet'> {
  /** Whether a configuration, or none, can't do without it; default: always required. */
  isRequired?(loaded: LoadedConfig | undefined): boolean;
  /** What is there; several findings where there are several such things. What it throws is what is wrong. */
  look(
    loaded: LoadedConfig | undefined,
  ): Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>;
}

/** Looks at one thing. */
export async function checksOf(row: CheckRow, loaded: LoadedConfig | undefined): Promise<Check[]> {
  const { what, neededFor, howToGet } = row;
  const about = { what, neededFor, howToGet, required: row.isRequired?.(loaded) ?? true };
  const findings = await lookedAt(() => row.look(loaded));
  return [findings].flat().map((finding) => ({ ...about, ...finding }));
}

/** What a look finds; an error is a finding as well. */
export async function lookedAt<T>(look: () => T | Promise<T>): Promise<T | Finding> {
  try {
    return await look();
  } catch (error) {
    return { ok: false, found: (error as Error).message };
  }
}
