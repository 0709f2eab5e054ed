import { z } from 'zod';

/** Use of a model by a section: chats depend on sampling and answer formats, embeddings on neither. */
export type ModelUse = 'chat' | 'embeddings';

/** Metadata of a configuration key in `.meta`, besides type and default. */
export interface KeyMeaning {
  /** Meaning, unit and default. Shown by editors and `docs/configuration.md`. */
  readonly description: string;
  /** Stages that become stale when it changes; may be empty. */
  readonly shapes: readonly string[];
  /** Name under which fingerprints record only the presence of the key. */
  readonly presence?: string;
  /** Use of a model held by the key. The model's own keys derive their dependencies from it. */
  readonly model?: ModelUse;
  /** Values of a path that are not paths, such as the name of the bundled tokenizer. */
  readonly names?: readonly string[];
}

/** Content of a free text in the configuration. */
export interface TextMeaning {
  /**
   * `input`: a file or folder that a run reads; it must exist, and fingerprints use its content. `place`: any other
   * path. Both are relative to the configuration file's folder.
   */
  readonly path: 'input' | 'place' | false;
  /** True if the path may be a pattern such as `data/*.jsonl`, which stands for all matching files. */
  readonly many?: boolean;
  /** True if the text may contain a secret, which is then redacted in written files. */
  readonly secret: boolean;
}

/**
 * Adds metadata to key schemas: `keyOf('judge')(share, 'Lowest F1 of a right answer')`.
 * @param stages - Names from the stage table
 */
export function keyOf(...stages: readonly string[]) {
  return <Schema extends z.ZodType>(
    schema: Schema,
    description: string,
    more: Omit<Partial<KeyMeaning>, 'shapes'> = {},
  ): Schema => schema.meta({ description, shapes: stages, ...more });
}

/** Variant of {@link keyOf} for a key that affects no record. */
export const key = keyOf();

/** Integer of at least 1. */
export const positiveInt = z.int().positive();

/** Integer of at least 0. */
export const wholeNumber = z.int().nonnegative();

/** A number above 0. */
export const positive = z.number().positive();

/** A share, from 0 to 1. */
export const share = z.number().min(0).max(1);

/** Metadata of a text that is neither a path nor a secret. */
export const noPath = { path: false, secret: false } as const satisfies TextMeaning;

/** Free text that is neither a path nor a secret. */
export const plainText = z.string().meta(noPath);

/** Arbitrary values under names chosen by the user, without paths and secrets. */
export const plainValues = z.record(z.string(), z.json()).meta(noPath);

/** A file or folder that a run reads; see {@link TextMeaning}. */
export const inputPath = z.string().min(1).meta({ path: 'input', secret: false });

/** A file, a folder, or a pattern such as `data/*.jsonl`; see {@link TextMeaning}. */
export const inputPattern = z.string().min(1).meta({ path: 'input', many: true, secret: false });

/** Path other than an input; see {@link TextMeaning}. */
export const placePath = z.string().min(1).meta({ path: 'place', secret: false });

/** The name of an environment variable. */
export const variableName = plainText.regex(
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  'the name of an environment variable',
);

/** Timer delay in seconds; at most 11 days, since Node fires timers of 25 days and more at once. */
export const timerSeconds = z.number().max(1_000_000);

/**
 * HTTP address of a service. Paths are appended, so a query is refused; `fetch` refuses a user name or password
 * (Fetch standard, constructor of Request), and addresses appear in logs.
 */
export const serviceUrl = z
  .url({ protocol: /^https?$/, error: 'an http(s) URL', abort: true })
  .refine(
    holdsNoKey,
    'an address without user name, password, query and fragment; a key belongs into an environment variable, which api_key_env names',
  )
  .meta({ path: false, secret: true });

function holdsNoKey(address: string): boolean {
  const { username, password } = new URL(address);
  return username === '' && password === '' && !/[?#]/.test(address);
}
