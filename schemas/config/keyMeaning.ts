import { z } from 'zod';

/** How a section uses a model: chats depend on sampling and forms of answers, embeddings on neither. */
export type ModelUse = 'chat' | 'embeddings';

/** What a key of the configuration says of itself by `.meta`, beside its type and default. */
export interface KeyMeaning {
  /** Meaning and unit, and what holds where the key is absent. Editors and `docs/configuration.md` show it. */
  readonly description: string;
  /** Stages whose records depend on it: another value makes them stale. None where it is empty. */
  readonly shapes: readonly string[];
  /** Fingerprints hold whether the key is there and not its value, under this name. */
  readonly presence?: string;
  /** Set where the key holds a model: how its section uses it. Keys of models say by it what their answers depend on. */
  readonly model?: ModelUse;
  /** Values of a path that are not paths, such as the name of the bundled tokenizer. */
  readonly names?: readonly string[];
}

/** What a free text of the configuration holds. */
export interface TextMeaning {
  /**
   * `input`: a file or folder that a run reads; it must be there, and fingerprints name it by its content. `place`: any
   * other path. Both start at the configuration file's folder.
   */
  readonly path: 'input' | 'place' | false;
  /** True where the path may be a pattern such as `data/*.jsonl`, which stands for every file that it matches. */
  readonly many?: boolean;
  /** True where the text may hold a key: what could be one is left out of files that are written. */
  readonly secret: boolean;
}

/**
 * Gives schemas of keys their meaning: `keyOf('judge')(share, 'Lowest F1 of a right answer')`.
 *
 * @param stages - Names from the stage table
 */
export function keyOf(...stages: readonly string[]) {
  return <Schema extends z.ZodType>(
    schema: Schema,
    description: string,
    more: Omit<Partial<KeyMeaning>, 'shapes'> = {},
  ): Schema => schema.meta({ description, shapes: stages, ...more });
}

/** As {@link keyOf}, of a key that no record depends on. */
export const key = keyOf();

/** A whole number from 1 up. */
export const positiveInt = z.int().positive();

/** A whole number from 0 up. */
export const wholeNumber = z.int().nonnegative();

/** A number above 0. */
export const positive = z.number().positive();

/** A share, from 0 to 1. */
export const share = z.number().min(0).max(1);

/** Of a text that is not a path and holds no key. */
export const noPath = { path: false, secret: false } as const satisfies TextMeaning;

/** Free text that is not a path and holds no key. */
export const plainText = z.string().meta(noPath);

/** Values of any kind by names of the user's choice, without paths and keys. */
export const plainValues = z.record(z.string(), z.json()).meta(noPath);

/** A file or folder that a run reads; see {@link TextMeaning}. */
export const inputPath = z.string().min(1).meta({ path: 'input', secret: false });

/** A file, a folder, or a pattern such as `data/*.jsonl`; see {@link TextMeaning}. */
export const inputPattern = z.string().min(1).meta({ path: 'input', many: true, secret: false });

/** A path to what is not an input; see {@link TextMeaning}. */
export const placePath = z.string().min(1).meta({ path: 'place', secret: false });

/** The name of an environment variable. */
export const variableName = plainText.regex(
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  'the name of an environment variable',
);

/** A time that a timer waits, in seconds; at most 11 days, since Node ends waits of 25 days and more at once. */
export const timerSeconds = z.number().max(1_000_000);

/**
 * The address of a service over HTTP. Paths are put behind it, so a query would end up in front of them; `fetch` takes
 * no address with a user name or password (Fetch standard, constructor of Request); and what is in an address gets
 * into logs.
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
