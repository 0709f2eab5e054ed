import type { JsonObject, JsonValue } from '../../../base/json.ts';
import type { BodyRule } from '../../../schemas/coa/profile.ts';
import { urlNames } from '../runs/toolInput.ts';

/** What all calls of a tool have in common: it says in which form their arguments stand in a trajectory. */
export class ArgumentShape {
  readonly #names = new Set<string>();
  #isText = true;
  #isUrls = true;
  #isProgram = true;

  /** The arguments of any call, sorted. */
  get names(): string[] {
    return [...this.#names].sort();
  }

  add(input: JsonObject): void {
    const entries = Object.entries(input);
    const [name, value] = entries[0] ?? ['', undefined];
    for (const [key] of entries) this.#names.add(key);
    const isOne = entries.length === 1;
    this.#isText &&= isOne && isWords(value);
    this.#isUrls &&= isOne && urlNames.includes(name) && isUrls(value);
    this.#isProgram &&= isProgram(input);
  }

  /**
   * The narrowest form that holds all that the calls say: a form other than `json` keeps the value of one argument, so
   * every call must have that one alone.
   *
   * @param runsPython whether the tool's name says that it runs Python
   */
  body(runsPython: boolean): BodyRule {
    if (runsPython && this.#isProgram) return 'code';
    if (this.#names.size !== 1) return 'json';
    if (this.#isUrls) return 'urls';
    return this.#isText ? 'text' : 'json';
  }
}

function isWords(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** One address, or a list of them, that the bar between addresses does not cut. */
function isUrls(value: JsonValue | undefined): boolean {
  const urls = Array.isArray(value) ? value : [value];
  return urls.length > 0 && urls.every((url) => typeof url === 'string' && /^https?:\/\/[^\s|]+$/.test(url));
}

function isProgram({ code, stdin = '', ...others }: JsonObject): boolean {
  return isWords(code) && typeof stdin === 'string' && Object.keys(others).length === 0;
}
