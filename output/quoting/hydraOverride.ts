import type { JsonValue } from '../../base/json.ts';
import { UserError } from '../../base/userError.ts';

/**
 * Formats `key=value` in the override grammar of Hydra 1.3, which parses to the same value.
 *
 * @throws UserError for what the grammar can't hold: interpolations, control characters, mapping keys that are no plain
 * names
 */
export function hydraOverride(key: string, value: JsonValue): string {
  refuseInterpolation(key, value);
  return `${key}=${hydraValue(key, value)}`;
}

function hydraValue(key: string, value: JsonValue): string {
  if (typeof value === 'string') return hydraString(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map((child) => hydraValue(key, child)).join(',')}]`;
  const pairs = Object.entries(value).map(
    ([name, child]) => `${hydraName(key, name)}:${hydraValue(key, child ?? null)}`,
  );
  return `{${pairs.join(',')}}`;
}

/** Words that the grammar parses as other types. */
const otherTypes = /^(null|true|false|inf|nan)$/i;

/** Quoted unless it is a plain name. In quotes, a backslash only counts before a quote and at the end. */
function hydraString(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(text) && !otherTypes.test(text)) return text;
  const escaped = text.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&');
  return `"${escaped}"`;
}

/** The grammar does not support quoted mapping keys. */
function hydraName(key: string, name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) && !otherTypes.test(name)) return name;
  throw new UserError(`${key}: expected plain names as keys of a mapping, got ${JSON.stringify(name)}`);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * Rejects `${...}` and `???`: both trainers read their configuration with OmegaConf, which interprets these even when
 * quoted.
 *
 * @throws UserError
 */
export function refuseInterpolation(name: string, value: JsonValue): void {
  if (typeof value === 'string') {
    if (value.includes('${') || value === '???') {
      throw new UserError(
        `${name}: expected text without \${...}, got ${JSON.stringify(value)}; the trainer's configuration language would expand it, so name it otherwise`,
      );
    }
    if (/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value)) {
      throw new UserError(
        `${name}: expected one line of text, got ${JSON.stringify(value)}; leave out line feeds and control characters`,
      );
    }
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    refuseInterpolation(`${name}.${key}`, key);
    refuseInterpolation(`${name}.${key}`, child as JsonValue);
  }
}
