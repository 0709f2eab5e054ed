import { isJsonObject, type JsonValue } from '../../base/json.ts';
import type { OnUnread } from '../../schemas/interchange/onUnread.ts';
import { refusal } from './rowRefusal.ts';

/** Changes and omissions of a row: report codes, each once. */
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
   * Omits a part of an unread type such as `image_url`, with the remark `image_url_left_out`.
   * @throws RowRefusal (`unread_part`) unless `--on-unread leave-out` is given
   */
  unread(type: string, path: string): void {
    const help = `found ${type}; say --on-unread leave-out to import such rows without it`;
    if (this.#onUnread === 'refuse') throw refusal('unread_part', path, help, { type });
    this.add(`${type}_left_out`);
  }

  /**
   * Removes null arguments at any depth: loaders with uniform keys (`datasets`, parquet) add nulls for the arguments
   * of other calls. The remark is `null_arguments_left_out`.
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

  list(): string[] {
    return [...this.#codes].sort();
  }
}
