/** How a program ended, with or without a sandbox, and what it left on the machine. */
export interface AttackRun {
  readonly kind: string;
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the host's process that was there for the program to attack still lives. */
  readonly victimLives: boolean;
  /** Whether a process that the program marked with `TARGETS['marker']` outlived it. */
  readonly leftProcess: boolean;
}

/**
 * A Python program that gets what it should not where nothing isolates it. It starts with the names of `prelude.ts`,
 * and is harmless where it succeeds: it aims at nothing but what the tests made, and takes back what it did.
 */
export interface Attack {
  readonly name: string;
  readonly program: string;
  /** Runs first and has ended when `program` starts: for what is left to the next one. */
  readonly before?: string;
  /** Wall-clock limit in the sandbox, where outlasting it is the point. Default: 20 s. */
  readonly timeoutMs?: number;
  /** The attack fails without a sandbox too for everyone but root: only as root it is proved to succeed there. */
  readonly needsRoot?: true;
  /** Default: it printed SUCCEEDED. */
  readonly succeeded?: (run: AttackRun) => boolean;
}

/** A list of attacks by their names: programs, or what else there is to say of one. */
export function attackTable(
  rows: Readonly<Record<string, string | Omit<Attack, 'name'>>>,
): readonly Attack[] {
  return Object.entries(rows).map(([name, row]) => ({
    name,
    ...(typeof row === 'string' ? { program: row } : row),
  }));
}

/** A program that is proved as root alone. */
export function asRoot(program: string): Omit<Attack, 'name'> {
  return { program, needsRoot: true };
}

/** Marks a text as Python; backslashes stay as they are. */
export const python = String.raw;

/** Whether the program got what it wanted. */
export function hasSucceeded(attack: Attack, run: AttackRun): boolean {
  return attack.succeeded?.(run) ?? run.stdout.includes('SUCCEEDED');
}
