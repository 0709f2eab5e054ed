import type { LoadedConfig } from '../../pipeline/config/loadConfig.ts';

export interface Check {
  readonly what: string;
  readonly ok: boolean;
  /** Version or state found, or the problem. */
  readonly found: string;
  readonly neededFor: string;
  /** Installation advice, shown if missing. */
  readonly howToGet: string;
  /** True if the configuration needs it. */
  readonly required: boolean;
  /** True if skipped, since nothing needs it. */
  readonly skipped?: true;
  /** True for a part of another check, printed only if it fails or with `--json`. */
  readonly isPart?: true;
}

/** Result of a check, with deviations from its row. */
export type Finding = Pick<Check, 'ok' | 'found'> & Partial<Check>;

export interface CheckRow extends Pick<Check, 'what' | 'neededFor' | 'howToGet'> {
  /** True if required by a configuration, or without one; default: always required. */
  isRequired?(loaded: LoadedConfig | undefined): boolean;
  /** Runs the check; may return several findings. A thrown error is the problem. */
  look(
    loaded: LoadedConfig | undefined,
  ): Finding | readonly Finding[] | Promise<Finding | readonly Finding[]>;
}

export async function checksOf(row: CheckRow, loaded: LoadedConfig | undefined): Promise<Check[]> {
  const { what, neededFor, howToGet } = row;
  const about = { what, neededFor, howToGet, required: row.isRequired?.(loaded) ?? true };
  const findings = await lookedAt(() => row.look(loaded));
  return [findings].flat().map((finding) => ({ ...about, ...finding }));
}

/** Runs a check; an error becomes a finding. */
export async function lookedAt<T>(look: () => T | Promise<T>): Promise<T | Finding> {
  try {
    return await look();
  } catch (error) {
    return { ok: false, found: (error as Error).message };
  }
}
