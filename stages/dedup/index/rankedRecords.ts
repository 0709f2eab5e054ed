/** Ids and qualities by record. */
export class RankedRecords {
  readonly #ids: string[] = [];
  readonly #qualities: number[] = [];

  get count(): number {
    return this.#ids.length;
  }

  /** Adds the next record and gives its number. Throws `RangeError` for a quality that is NaN. */
  add(id: string, quality: number): number {
    if (Number.isNaN(quality)) throw new RangeError(`the quality of record ${id} is NaN`);
    this.#qualities.push(quality);
    return this.#ids.push(id) - 1;
  }

  idOf(record: number): string {
    return this.#ids[record]!;
  }

  /** Below 0 for the record of higher quality; of equals, for the one whose id stands first, or that came first. */
  rank(record: number, other: number): number {
    // Two infinite qualities of one sign have no difference.
    const difference = this.#qualities[other]! - this.#qualities[record]!;
    const [id, otherId] = [this.#ids[record]!, this.#ids[other]!];
    return difference || (id < otherId ? -1 : Number(id > otherId)) || record - other;
  }
}
