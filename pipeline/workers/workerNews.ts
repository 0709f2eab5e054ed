import { printable } from '../../base/printable.ts';

/** Says who works on a run, and why a worker left it: each fault once, how many work when that changes. */
export class WorkerNews {
  readonly #address: string;
  readonly #log: (line: string) => void;
  readonly #told = new Set<string>();
  #counted: string | undefined;

  /** @param address that of the database, without password */
  constructor(address: string, log: (line: string) => void) {
    this.#address = address;
    this.#log = log;
  }

  /** @param ready how many work; absent while that is not known */
  tell({ faults, ready }: { readonly faults: readonly string[]; readonly ready?: number }): void {
    for (const fault of faults.map(printable)) {
      if (!this.#told.has(fault)) this.#log(fault);
      this.#told.add(fault);
    }
    if (ready === undefined) return;
    const line = this.#line(ready);
    if (line !== this.#counted) this.#log(line);
    this.#counted = line;
  }

  #line(count: number): string {
    if (count === 0)
      return `no worker works on it; start one with: coa-distill workers join ${this.#address}`;
    return `${count} ${count === 1 ? 'worker works' : 'workers work'} on it`;
  }
}
