import { isJsonObject, type JsonValue } from '../../base/json.ts';
import type { OnUnread } from '../../schemas/interchange/onUnread.ts';
import { refusal } from './rowRefusal.ts';

/** What had to be done to a row, or was left out of it: codes that reports count, each said once. */
export class RowRemarks {
  readonly #codes = new Set<string>();
  readonly #onUnread: OnUnread;

  constructor(onUnread: OnUnread) {
    this.#onUnread = onUnread;
  }

  add(code: string): void {
    this.#codes.add(code);
  }

  /**
   * Leaves out a part of a type that is not read, such as `image_url`: the remark is `image_url_left_out`.
   *
   * @throws RowRefusal (`unread_part`) unless `--on-unread leave-out` is given
   */
  unread(type: string, path: string): void {
    const help = `found ${type}; say --on-unread leave-out to import such rows without it`;
    if (this.#onUnread === 'refuse') throw refusal('unread_part', path, help, { type });
    this.add(`${type}_left_out`);
  }

  /**
   * Arguments without the keys that are null, at any depth: loaders that give all rows the same keys (`datasets`,
   * parquet) put nulls in for the arguments of other calls. The remark is `null_arguments_left_out`.
   */
  withoutNulls<T extends JsonValue>(given: T): T {
    if (Array.isArray(given)) return given.map((item) => this.withoutNulls(item)) as unknown as T;
    if (!isJsonObject(given)) return given;
    const held = Object.entries(given).flatMap(([key, value]) => {
      if (value == null) this.add('null_arguments_left_out');
      return value == null ? [] : [[key, this.withoutNulls(value)] as const];
    });
    return Object.fromEntries(held) as T;
  }

  /** The codes in alphabetical order. */
  list(): string[] {
    return [...this.#codes].sort();
  }
}
